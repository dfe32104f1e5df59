package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which regions are asked about the entries of a page, and that a failure confirms nothing. */
class RegionChecksTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_INSERT)
            .build();
    private static final byte[] ORD = Bytes.toBytes("ORD");
    private static final IndexKeyCodec CODEC = new IndexKeyCodec(INDEX);

    /** The rows from here on are in the second region. */
    private static final byte[] SPLIT = Bytes.toBytes("row500");

    private final Connection connection = mock();
    private final List<CheckRequest> requests = Collections.synchronizedList(new ArrayList<>());

    /** The rows that their regions confirm. */
    private Predicate<String> remembered = row -> true;

    /** Runs in each call to the second region. */
    private Step inSecondRegion = () -> {};

    /** Runs in each call to the first region. */
    private Step inFirstRegion = () -> {};

    /** How many rows were located. */
    private final AtomicInteger locations = new AtomicInteger();

    private RegionChecks checks;

    /** A step of a call. */
    private interface Step {
        void run() throws ServiceException, InterruptedException, BrokenBarrierException;
    }

    @BeforeEach
    void make() throws IOException {
        RegionLocator locator = stub(RegionLocator.class);
        when(locator.getRegionLocation(any(byte[].class))).thenAnswer(call -> {
            locations.incrementAndGet();
            return location(call.getArgument(0));
        });
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        Table table = stub(Table.class);
        when(connection.getTable(TABLE)).thenReturn(table);
        when(table.coprocessorService(any(byte[].class)))
                .thenAnswer(call -> new DefinitionService((method, controller, request, prototype) ->
                        answer(call.getArgument(0), (CheckRequest) request)));
        checks = checks(Duration.ofMinutes(1));
    }

    /** Creates a mock that does not remember its calls, which are many. */
    private static <T> T stub(Class<T> type) {
        return mock(type, withSettings().stubOnly());
    }

    private RegionChecks checks(Duration patience) {
        return new RegionChecks(connection, TABLE, INDEX, new CheckBackoff(), new BriefCalls(patience));
    }

    private static HRegionLocation location(byte[] row) {
        RegionInfoBuilder region = RegionInfoBuilder.newBuilder(TABLE);
        RegionInfo info = isInSecond(row)
                ? region.setStartKey(SPLIT).build()
                : region.setEndKey(SPLIT).build();
        return new HRegionLocation(info, ServerName.valueOf("server", 16020, 1));
    }

    private static boolean isInSecond(byte[] row) {
        return Bytes.compareTo(row, SPLIT) >= 0;
    }

    private CheckResponse answer(byte[] region, CheckRequest request) throws ServiceException {
        requests.add(request);
        try {
            (isInSecond(region) ? inSecondRegion : inFirstRegion).run();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new ServiceException("interrupted", e);
        }
        BitSet confirmed = new BitSet();
        for (int i = 0; i < request.getKeyCount(); i++) {
            assertThat(request.getFingerprint(i)).isEqualTo(7);
            confirmed.set(i, remembered.test(rowOf(request.getKey(i))));
        }
        return CheckResponse.newBuilder()
                .setConfirmed(ByteString.copyFrom(confirmed.toByteArray()))
                .build();
    }

    private static String rowOf(ByteString key) {
        return Bytes.toString(CODEC.decode(key.toByteArray()).row());
    }

    private static List<Candidate> page(int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> found("row%03d".formatted(i * 37 % 1_000)))
                .toList();
    }

    /** Returns entries of consecutive rows. */
    private static Stream<Candidate> rows(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> found("row%03d".formatted(i)));
    }

    private static Candidate found(String row) {
        Cell origin = new KeyValue(Bytes.toBytes(row), Bytes.toBytes("f"), Bytes.toBytes("origin"), 7, ORD);
        IndexEntry entry = new IndexEntryFunction(INDEX)
                .entryOf(Bytes.toBytes(row), List.of(origin))
                .orElseThrow();
        return Candidate.of(new FoundEntry(entry, entry.timestamp(), false), CODEC.decode(entry.key()), true);
    }

    private static String row(Candidate candidate) {
        return Bytes.toString(candidate.key().row());
    }

    @Test
    void asksEachRegionOnceAboutItsOwnRows() throws IOException {
        List<Candidate> page = page(100);
        assertThat(checks.confirmed(page).cardinality()).isEqualTo(100);
        assertThat(requests).hasSize(2);
        Set<String> asked = new TreeSet<>();
        for (CheckRequest request : requests) {
            assertThat(request.getIndex()).isEqualTo(INDEX.name());
            assertThat(request.getIndexId()).isEqualTo(INDEX.id());
            assertThat(request.getKeyList().stream()
                            .map(key -> isInSecond(Bytes.toBytes(rowOf(key))))
                            .distinct())
                    .hasSize(1);
            request.getKeyList().forEach(key -> asked.add(rowOf(key)));
        }
        assertThat(asked).hasSize(100);
    }

    @Test
    void locatesEachRegionOnce() throws IOException {
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
        assertThat(checks.confirmed(page(200)).cardinality()).isEqualTo(200);
        assertThat(locations).hasValue(2);
    }

    @Test
    void confirmsExactlyWhatTheRegionsConfirm() throws IOException {
        remembered = row -> row.endsWith("3") || row.endsWith("8") || row.endsWith("0");
        List<Candidate> page = page(100);
        BitSet confirmed = checks.confirmed(page);
        for (int i = 0; i < page.size(); i++) {
            assertThat(confirmed.get(i)).as(row(page.get(i))).isEqualTo(remembered.test(row(page.get(i))));
        }
    }

    @Test
    void asksTheRegionsAtTheSameTime() throws IOException {
        CyclicBarrier both = new CyclicBarrier(2);
        inFirstRegion = both::await;
        inSecondRegion = both::await;
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
    }

    private static void assertOnlyFirst(List<Candidate> page, BitSet confirmed) {
        for (int i = 0; i < page.size(); i++) {
            assertThat(confirmed.get(i)).as(row(page.get(i))).isEqualTo(!isInSecond(Bytes.toBytes(row(page.get(i)))));
        }
    }

    @Test
    void aCallThatFailsConfirmsNothing() throws IOException {
        inSecondRegion = () -> {
            throw new ServiceException("no such method");
        };
        List<Candidate> page = page(100);
        assertOnlyFirst(page, checks.confirmed(page));
    }

    /** HBase's client would try again for as long as a lookup does. */
    @Test
    void doesNotWaitForARegionThatDoesNotAnswer() throws IOException {
        inSecondRegion = new CountDownLatch(1)::await;
        List<Candidate> page = page(100);
        assertOnlyFirst(page, checks(Duration.ofSeconds(1)).confirmed(page));
    }

    @Test
    void aRegionThatFailsIsNotAskedAgain() throws IOException {
        inSecondRegion = () -> {
            throw new ServiceException("no such method");
        };
        checks.confirmed(page(100));
        requests.clear();
        for (int i = 0; i < 10; i++) {
            List<Candidate> page = page(100);
            assertOnlyFirst(page, checks.confirmed(page));
        }
        assertThat(requests).hasSize(10);
    }

    @Test
    void anInterruptedReaderFailsAndStaysInterrupted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        inSecondRegion = () -> {
            asked.countDown();
            never.await();
        };
        CompletableFuture<Boolean> failed = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                BitSet confirmed = checks.confirmed(page(100));
                failed.completeExceptionally(new AssertionError("The interruption was lost: " + confirmed));
            } catch (InterruptedIOException e) {
                failed.complete(Thread.currentThread().isInterrupted());
            }
        });
        reader.start();
        asked.await();
        reader.interrupt();
        assertThat(failed.get(30, TimeUnit.SECONDS)).as("still interrupted").isTrue();
    }

    @Test
    void asksNobodyAboutAFewEntries() throws IOException {
        assertThat(checks.confirmed(page(7)).cardinality()).isZero();
        assertThat(requests).isEmpty();
    }

    @Test
    void asksOnlyRegionsThatHaveManyOfTheEntries() throws IOException {
        List<Candidate> page = Stream.concat(rows(0, 8), rows(500, 507)).toList();
        assertOnlyFirst(page, checks.confirmed(page));
        assertThat(requests).extracting(CheckRequest::getKeyCount).containsExactly(8);
    }

    /** A page that no region is asked about has shown nothing of what they remember. */
    @Test
    void pagesOfSmallPartsDoNotPreventThatOthersAreAskedAbout() throws IOException {
        for (int i = 0; i < 10; i++) {
            checks.confirmed(Stream.concat(rows(0, 6), rows(500, 506)).toList());
        }
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
    }

    @Test
    void asksAboutNoMoreEntriesThanARegionAccepts() throws IOException {
        List<Candidate> page = rows(100_000, 110_001).toList();
        assertThat(checks.confirmed(page).cardinality()).isEqualTo(10_001);
        assertThat(requests)
                .extracting(CheckRequest::getKeyCount)
                .containsExactlyInAnyOrder(EntryCheck.MOST_ENTRIES, 1);
    }

    @Test
    void doesNotAskAboutTheNextPageIfLittleIsRemembered() throws IOException {
        remembered = row -> false;
        checks.confirmed(page(100));
        requests.clear();
        remembered = row -> true;
        assertThat(checks.confirmed(page(100)).cardinality()).isZero();
        assertThat(requests).isEmpty();
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(classes = {IOException.class, IllegalStateException.class, StackOverflowError.class})
    void confirmsNothingIfTheRegionsCannotBeLocated(Class<? extends Throwable> failure) throws IOException {
        RegionLocator lost = mock();
        when(lost.getRegionLocation(any(byte[].class))).thenThrow(failure);
        when(connection.getRegionLocator(TABLE)).thenReturn(lost);
        assertThat(checks.confirmed(page(100)).cardinality()).isZero();
        assertThat(requests).isEmpty();
    }

    @Test
    void doesNotWaitForeverForTheLocationsOfTheRegions() throws IOException {
        RegionLocator slow = mock();
        CountDownLatch never = new CountDownLatch(1);
        when(slow.getRegionLocation(any(byte[].class))).thenAnswer(call -> {
            never.await();
            return null;
        });
        when(connection.getRegionLocator(TABLE)).thenReturn(slow);
        assertThat(checks(Duration.ofMillis(10)).confirmed(page(100)).cardinality())
                .isZero();
    }
}
