package org.diffindex.client;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the regions of a base table which entries of a page their rows yield, as far as they remember what their rows
 * show: one small call to each region, which costs a fraction of the lookups that it replaces. A call that fails
 * confirms nothing. If the regions remember few of the rows, the next pages are not asked about.
 *
 * <p>Used by the one thread, for the one query, of a scanner.
 */
final class RegionChecks implements QuickCheck {
    private static final Logger LOG = LoggerFactory.getLogger(RegionChecks.class);

    /** The fewest entries for which the regions are asked; for fewer, lookups take about as long. */
    private static final int FEWEST = 32;

    /** The share of a page that must be confirmed, as a divisor, so that the next page is asked about. */
    private static final int WORTHWHILE = 4;

    /** The pages that are not asked about after one of which too little was confirmed. */
    private static final int PAUSE = 10;

    private final Connection connection;
    private final TableName table;
    private final IndexDefinition index;
    private final IndexKeyCodec codec;
    private final Executor threads;

    /** The pages that are still not asked about. */
    private int pause;

    /**
     * Creates the checks for one query.
     *
     * @param threads makes the calls to all regions but one
     */
    RegionChecks(Connection connection, TableName table, IndexDefinition index, Executor threads) {
        this.connection = connection;
        this.table = table;
        this.index = index;
        this.codec = new IndexKeyCodec(index);
        this.threads = threads;
    }

    /** The entries of one region: a request, and their positions in the page. */
    private final class Part {
        private final byte[] row;
        private final CheckRequest.Builder request =
                CheckRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        private final List<Integer> positions = new ArrayList<>();

        /** Creates a part of the region of a row. */
        Part(byte[] row) {
            this.row = row;
        }

        void add(int position, FoundEntry found) {
            request.addKey(ByteString.copyFrom(found.key()))
                    .addFingerprint(found.entry().fingerprint());
            positions.add(position);
        }

        /** Returns the positions of the confirmed entries; none if the call fails. */
        List<Integer> call() {
            try (Table base = connection.getTable(table)) {
                byte[] confirmed = DiffIndexService.newBlockingStub(base.coprocessorService(row))
                        .check(null, request.build())
                        .getConfirmed()
                        .toByteArray();
                return BitSet.valueOf(confirmed).stream()
                        .mapToObj(positions::get)
                        .toList();
            } catch (IOException | ServiceException | RuntimeException e) {
                LOG.debug(
                        "A region of {} confirmed no entry of index {}; its rows are looked up",
                        table,
                        index.name(),
                        e);
                return List.of();
            }
        }
    }

    @Override
    public BitSet confirmed(List<FoundEntry> entries) {
        BitSet confirmed = new BitSet(entries.size());
        if (entries.size() >= FEWEST && pause-- <= 0) {
            callAll(parts(entries)).forEach(confirmed::set);
            pause = confirmed.cardinality() * WORTHWHILE < entries.size() ? PAUSE : 0;
        }
        return confirmed;
    }

    private Collection<Part> parts(List<FoundEntry> entries) {
        TreeMap<byte[], Part> parts = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            for (int i = 0; i < entries.size(); i++) {
                byte[] row = codec.decode(entries.get(i).key()).row();
                byte[] region = locator.getRegionLocation(row).getRegion().getStartKey();
                parts.computeIfAbsent(region, start -> new Part(row)).add(i, entries.get(i));
            }
        } catch (IOException e) {
            LOG.debug("The regions of {} could not be located; the rows are looked up", table, e);
            return List.of();
        }
        return parts.values();
    }

    /** Makes the calls in parallel, one of them on this thread; returns the positions of all confirmed entries. */
    private List<Integer> callAll(Collection<Part> parts) {
        List<CompletableFuture<List<Integer>>> calls = new ArrayList<>(parts.size());
        Iterator<Part> each = parts.iterator();
        while (each.hasNext()) {
            Part part = each.next();
            calls.add(
                    each.hasNext() ? CompletableFuture.supplyAsync(part::call, threads) : completedFuture(part.call()));
        }
        return calls.stream().map(CompletableFuture::join).flatMap(List::stream).toList();
    }
}
