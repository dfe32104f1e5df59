package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegionWalkTest {
    private static final int ROWS = 300;
    private static final TableName TABLE = TableName.valueOf("t");
    private static final RegionWalk.Progress NOBODY = (done, all) -> {};

    /** The start keys of the current regions. */
    private final TreeSet<String> starts = new TreeSet<>(List.of("", "h", "p"));

    private final List<String> visits = Collections.synchronizedList(new ArrayList<>());
    private final RegionLocator locator = mock(RegionLocator.class);

    @BeforeEach
    void locate() throws IOException {
        when(locator.getName()).thenReturn(TABLE);
        when(locator.getAllRegionLocations())
                .thenAnswer(call -> starts.stream().map(this::location).toList());
        when(locator.getRegionLocation(any(byte[].class)))
                .thenAnswer(call -> location(starts.floor(Bytes.toString(call.<byte[]>getArgument(0)))));
    }

    @Test
    void visitsEachRegionOnceAndReportsItsProgress() throws IOException {
        List<String> progress = new ArrayList<>();
        walk(2).run(this::visit, (done, all) -> progress.add(done + "/" + all));
        assertThat(visits).containsExactlyInAnyOrder("", "h", "p");
        assertThat(progress).containsExactly("0/3", "1/3", "2/3", "3/3");
    }

    @Test
    void readsARegionPageByPage() throws IOException {
        walk(1).run(
                        (range, row) -> {
                            String at = Bytes.toString(row);
                            visits.add(at);
                            return at.length() > 2 ? endOfRegion(row) : Bytes.toBytes(at + "a");
                        },
                        NOBODY);
        assertThat(visits).containsExactly("", "a", "aa", "aaa", "h", "ha", "haa", "p", "pa", "paa");
    }

    /**
     * HBase's client returns null for each replica of a region that has no server yet, such as those of the daughters of
     * a split, or of a merged region, of a table with REGION_REPLICATION 2.
     */
    @Test
    void passesOverReplicasWithoutAServer() throws IOException {
        List<HRegionLocation> withReplicas = new ArrayList<>();
        for (String start : starts) {
            withReplicas.add(location(start));
            withReplicas.add(null);
        }
        when(locator.getAllRegionLocations()).thenReturn(withReplicas);
        walk(2).run(this::visit, NOBODY);
        assertThat(visits).containsExactlyInAnyOrder("", "h", "p");
    }

    @Test
    void followsARegionThatSplitsMeanwhile() throws IOException {
        walk(1).run(
                        (range, row) -> {
                            starts.add("k");
                            return visit(range, row);
                        },
                        NOBODY);
        assertThat(visits).containsExactly("", "h", "k", "p");
    }

    @Test
    void stopsAtTheEndOfItsRangeIfRegionsMergedMeanwhile() throws IOException {
        walk(1).run(
                        (range, row) -> {
                            starts.remove("h");
                            return visit(range, row);
                        },
                        NOBODY);
        assertThat(visits).contains("", "p").hasSizeLessThanOrEqualTo(3);
        visits.clear();
        walk(1).walk(new KeyRange(Bytes.toBytes(""), Bytes.toBytes("h")), (range, row) -> {
            visits.add(Bytes.toString(row) + " to " + Bytes.toString(range.end()));
            return Bytes.toBytes("m");
        });
        assertThat(visits).containsExactly(" to h");
    }

    @Test
    void aSplitBeforeAndAMergeAfterACallSkipNothing() throws IOException {
        walk(1).run(
                        (range, row) -> {
                            starts.add("k");
                            byte[] answer = visit(range, row);
                            starts.remove("k");
                            return answer;
                        },
                        NOBODY);
        assertThat(visits).containsExactly("", "h", "k", "p");
    }

    @Test
    void coversOnlyTheGivenRangesCutWhereRegionsStart() throws IOException {
        List<String> ranges = new ArrayList<>();
        walk(1).run(
                        List.of(range("", "c"), range("g", "h"), range("j", "")),
                        (range, row) -> {
                            ranges.add(range.toString());
                            return endOfRegion(row);
                        },
                        NOBODY);
        assertThat(ranges).containsExactly("['', 'c')", "['g', 'h')", "['j', 'p')", "['p', '')");
    }

    private static KeyRange range(String start, String end) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end));
    }

    /** If regions merge while the client reads hbase:meta, it may know neither the old ones nor the new one. */
    @Test
    void coversRowsBetweenTheRegionsThatTheClientKnows() throws IOException {
        List<HRegionLocation> known = List.of(location(""), location("p"));
        when(locator.getAllRegionLocations()).thenReturn(known);
        assertThat(known.get(0).getRegion().getEndKey()).isEqualTo(Bytes.toBytes("h"));
        List<String> progress = new ArrayList<>();
        walk(1).run(this::visit, (done, all) -> progress.add(done + "/" + all));
        assertThat(visits).containsExactly("", "h", "p");
        assertThat(progress).containsExactly("0/2", "1/2", "2/2");
        visits.clear();
        when(locator.getAllRegionLocations()).thenReturn(List.of(location("h")));
        walk(1).run(this::visit, NOBODY);
        assertThat(visits).as("without the first region and the last").containsExactly("", "h", "p");
    }

    /** Each call covers a few rows, while regions randomly split and merge between calls. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void coversEveryRowHoweverRegionsSplitAndMerge(long seed) throws IOException {
        Random random = new Random(seed);
        BitSet covered = new BitSet();
        walk(1).run(
                        (range, row) -> {
                            splitOrMerge(random);
                            int from = rowNumber(row, 0);
                            byte[] regionEnd = endOfRegion(row);
                            int last = Math.min(rowNumber(regionEnd, ROWS), rowNumber(range.end(), ROWS));
                            int to = Math.min(from + random.nextInt(1, 40), last);
                            covered.set(from, to);
                            splitOrMerge(random);
                            return to < last ? rowKey(to) : regionEnd;
                        },
                        NOBODY);
        assertThat(covered.cardinality()).isEqualTo(ROWS);
    }

    private void splitOrMerge(Random random) {
        String key = Bytes.toString(rowKey(random.nextInt(1, ROWS)));
        String above = starts.higher(key);
        if (random.nextBoolean()) {
            starts.add(key);
        } else if (above != null) {
            starts.remove(above);
        }
    }

    /** Row keys are "k" and three digits. They lie between "h" and "p", so that any kind of region contains some. */
    private static byte[] rowKey(int number) {
        return Bytes.toBytes("k%03d".formatted(number));
    }

    /** Returns the number of the first row at or after a key. */
    private static int rowNumber(byte[] key, int ifEmpty) {
        String text = Bytes.toString(key);
        if (text.isEmpty()) {
            return ifEmpty;
        }
        return text.compareTo("k") < 0 ? 0 : text.startsWith("k") ? Integer.parseInt(text.substring(1)) : ROWS;
    }

    @Test
    void theFirstErrorEndsTheWalk() {
        DoNotRetryIOException failure = new DoNotRetryIOException("no such index");
        assertThatThrownBy(() -> walk(1).run(
                                (range, row) -> {
                                    visits.add(Bytes.toString(row));
                                    throw failure;
                                },
                                NOBODY))
                .isSameAs(failure);
        assertThatThrownBy(() -> walk(1).run(
                                (range, row) -> {
                                    throw new IllegalStateException("broken");
                                },
                                NOBODY))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesToMoveBackwards() {
        assertThatThrownBy(() -> walk(1).run((range, row) -> Bytes.toBytes("a"), NOBODY))
                .hasMessageContaining("which is not after it");
    }

    private RegionWalk walk(int threads) {
        return new RegionWalk(locator, threads);
    }

    /** A call completes the whole region that holds the row. */
    private byte[] visit(KeyRange range, byte[] row) {
        visits.add(Bytes.toString(row));
        return endOfRegion(row);
    }

    private byte[] endOfRegion(byte[] row) {
        String end = starts.higher(Bytes.toString(row));
        return Bytes.toBytes(end == null ? "" : end);
    }

    private HRegionLocation location(String start) {
        String end = starts.higher(start);
        RegionInfo region = RegionInfoBuilder.newBuilder(TABLE)
                .setStartKey(Bytes.toBytes(start))
                .setEndKey(Bytes.toBytes(end == null ? "" : end))
                .build();
        return new HRegionLocation(region, ServerName.valueOf("rs", 16020, 1));
    }
}
