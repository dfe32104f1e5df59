package org.diffindex.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;

/**
 * Asks the regions of a base table which entries of a page their rows yield, as far as they remember what their rows
 * show: one small call to each region that has enough of the rows, at the same time, which costs a fraction of the
 * lookups that it replaces. A region that does not answer confirms nothing, and is not asked again. If the regions
 * remember few of the rows, the next pages of the index are not asked about.
 *
 * <p>Used by the one thread, for the one query, of a scanner.
 */
final class RegionChecks implements QuickCheck {
    /** The fewest entries about which a region is asked; for fewer, lookups take about as long. */
    private static final int FEWEST = 8;

    private final Connection connection;
    private final TableName table;
    private final IndexDefinition index;
    private final CheckBackoff backoff;
    private final BriefCalls calls;

    /**
     * The regions that were located, by their first keys; HBase's client takes about a microsecond to find one again. One
     * that has been split or merged since confirms fewer entries, or does not answer.
     */
    private final NavigableMap<byte[], RegionInfo> located = new ConcurrentSkipListMap<>(Bytes.BYTES_COMPARATOR);

    /** The first keys of the regions that did not answer. */
    private final Set<byte[]> silent = new TreeSet<>(Bytes.BYTES_COMPARATOR);

    /**
     * Creates the checks for one query.
     *
     * @param backoff what the queries by the index learn from each other
     * @param calls makes the calls
     */
    RegionChecks(
            Connection connection, TableName table, IndexDefinition index, CheckBackoff backoff, BriefCalls calls) {
        this.connection = connection;
        this.table = table;
        this.index = index;
        this.backoff = backoff;
        this.calls = calls;
    }

    /** A call about entries of one region; returns the positions in the page of those that are confirmed. */
    private final class Part implements Callable<List<Integer>> {
        private final byte[] region;
        private final List<Candidate> page;
        private final List<Integer> positions;

        /** Creates a part of a page, of the region with that first key. */
        Part(byte[] region, List<Candidate> page, List<Integer> positions) {
            this.region = region;
            this.page = page;
            this.positions = positions;
        }

        @Override
        public List<Integer> call() throws IOException, ServiceException {
            try (Table base = connection.getTable(table)) {
                byte[] confirmed = DiffIndexService.newBlockingStub(base.coprocessorService(region))
                        .check(null, request())
                        .getConfirmed()
                        .toByteArray();
                return BitSet.valueOf(confirmed).stream()
                        .mapToObj(positions::get)
                        .toList();
            }
        }

        private CheckRequest request() {
            CheckRequest.Builder request =
                    CheckRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
            for (int position : positions) {
                FoundEntry found = page.get(position).found();
                request.addKey(ByteString.copyFrom(found.key()))
                        .addFingerprint(found.entry().fingerprint());
            }
            return request.build();
        }
    }

    @Override
    public BitSet confirmed(List<Candidate> page) throws InterruptedIOException {
        if (page.size() < FEWEST || !backoff.admitsPage()) {
            return new BitSet();
        }
        Callable<Map<byte[], List<Integer>>> location = () -> regions(page);
        Optional<Map<byte[], List<Integer>>> regions =
                answers(List.of(location)).get(0);
        List<Part> parts = regions.map(located -> parts(page, located)).orElse(List.of());
        BitSet confirmed = confirmedOf(parts);
        int asked = parts.stream().mapToInt(part -> part.positions.size()).sum();
        backoff.learn(confirmed.cardinality(), regions.isPresent() ? asked : page.size());
        return confirmed;
    }

    /** Returns the positions of the entries that each region has, by its first key. */
    private Map<byte[], List<Integer>> regions(List<Candidate> page) throws IOException {
        Map<byte[], List<Integer>> regions = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            for (int i = 0; i < page.size(); i++) {
                byte[] row = page.get(i).key().row();
                byte[] region = regionOf(row, locator).getStartKey();
                regions.computeIfAbsent(region, start -> new ArrayList<>()).add(i);
            }
        }
        return regions;
    }

    private RegionInfo regionOf(byte[] row, RegionLocator locator) throws IOException {
        Map.Entry<byte[], RegionInfo> before = located.floorEntry(row);
        if (before != null && before.getValue().containsRow(row)) {
            return before.getValue();
        }
        RegionInfo found = locator.getRegionLocation(row).getRegion();
        located.put(found.getStartKey(), found);
        return found;
    }

    /** Returns the calls that are worth making. */
    private List<Part> parts(List<Candidate> page, Map<byte[], List<Integer>> regions) {
        List<Part> parts = new ArrayList<>(regions.size());
        regions.forEach((region, positions) -> {
            if (positions.size() >= FEWEST && !silent.contains(region)) {
                Lists.partition(positions, EntryCheck.MOST_ENTRIES)
                        .forEach(part -> parts.add(new Part(region, page, part)));
            }
        });
        return parts;
    }

    /** Makes the calls; returns the positions of all confirmed entries. */
    private BitSet confirmedOf(List<Part> parts) throws InterruptedIOException {
        BitSet confirmed = new BitSet();
        List<Optional<List<Integer>>> answers = answers(parts);
        for (int i = 0; i < parts.size(); i++) {
            byte[] region = parts.get(i).region;
            answers.get(i).ifPresentOrElse(positions -> positions.forEach(confirmed::set), () -> silent.add(region));
        }
        return confirmed;
    }

    private <T> List<Optional<T>> answers(List<? extends Callable<T>> wanted) throws InterruptedIOException {
        return calls.answers("checking entries of index " + index.name() + " on " + table, wanted);
    }
}
