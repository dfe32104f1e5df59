package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.LeasedRead;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a region on a server that lacks the class of an indexed column, or cannot read a definition; neither ends the
 * server.
 */
class UnloadedIndexesTest {
    private static final byte[] A = Bytes.toBytes("a");

    private final TableShape shape = TableShape.VERSIONS_1;

    @TempDir
    Path folder;

    private IndexDefinition index;
    private FakeConnection network;
    private LocalTable table;

    /** A type that only some servers have. */
    public static final class Rare extends RawBytes {
        private static volatile boolean missing;

        public Rare() {
            if (missing) {
                throw new NoClassDefFoundError("org/example/Codec");
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        index = IndexDefinition.builder(TableShape.NAME, "rare")
                .column("f", "a", ColumnTypes.custom(Rare.class))
                .scheme(IndexScheme.ASYNC_SIMPLE)
                .build();
        network = new FakeConnection(shape.bare());
        network.serveIndex(index.indexTable());
        table = shape.openBare(folder, network);
        table.alter(IndexDefinitions.with(shape.bare(), index));
    }

    @AfterEach
    void close() throws IOException {
        Rare.missing = false;
        table.close();
    }

    @Test
    void theRegionAnswersPlainReadsAndRefusesEveryKindOfWrite() throws IOException {
        put("r", "1");
        table.drain();
        moveToAServerWithoutTheClass();
        HRegion region = region();
        assertThat(region.get(new Get(row("r"))).getValue(F, A)).isEqualTo(Bytes.toBytes("1"));

        refused(() -> put("r", "2"));
        refused(() -> region.delete(new Delete(row("r"))));
        refused(() -> region.increment(new Increment(row("r")).addColumn(F, Bytes.toBytes("n"), 1)));
        refused(() -> region.append(new Append(row("r")).addColumn(F, A, A)));
        refused(() -> region.checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                .ifMatches(F, A, CompareOperator.EQUAL, Bytes.toBytes("1"))
                .build(new Put(row("r")).addColumn(F, A, A))));
        refused(() -> region.mutateRow(RowMutations.of(List.of(new Put(row("r")).addColumn(F, A, A)))));
        refused(() -> region.mutateRowsWithLocks(
                List.<Mutation>of(new Put(row("r")).addColumn(F, A, A)), List.of(row("r")), 0, 0));
        assertThat(region.get(new Get(row("r"))).getValue(F, A)).isEqualTo(Bytes.toBytes("1"));
    }

    @Test
    void theRegionRefusesReadsByIndexAndRequestsWithTheReason() throws IOException {
        put("r", "1");
        table.drain();
        moveToAServerWithoutTheClass();
        assertThatThrownBy(() -> region().get(LeasedRead.mark(new Get(row("r")))))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Read by index refused");
        ServerRpcController controller = new ServerRpcController();
        List<FillResponse> filled = new ArrayList<>();
        FillRequest request = FillRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .setMaxRows(1)
                .build();
        endpoint().fill(controller, request, filled::add);
        assertThat(controller.getFailedOn()).hasMessageContaining("cannot be loaded");
        List<StatusResponse> status = new ArrayList<>();
        endpoint().status(new ServerRpcController(), StatusRequest.getDefaultInstance(), status::add);
        assertThat(status.get(0).getProblem()).contains("The indexes of model cannot be loaded", Rare.class.getName());
    }

    @Test
    void theRegionMaintainsItsIndexesAgainOnAServerWithTheClass() throws IOException {
        put("r", "1");
        moveToAServerWithoutTheClass();
        Rare.missing = false;
        table.move();
        put("s", "2");
        assertThat(table.drain()).isZero();
        assertIndexed("r", "s");
    }

    /** Only a server that knows the indexes can compute the index updates of these writes. */
    @Test
    void theRegionDoesNotOpenThereIfItHasWritesToRecover() throws IOException {
        network.failures.outage(true);
        put("r", "1");
        table.die();
        Rare.missing = true;
        assertThatThrownBy(() -> table.recover())
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("it has writes to recover");
        network.failures.outage(false);
        Rare.missing = false;
        table.openElsewhere();
        assertThat(table.drain()).isZero();
        assertIndexed("r");
    }

    /** The spilled change does not contain the value that it replaced. */
    @ParameterizedTest
    @ValueSource(classes = {DefaultStoreEngine.class, StripeStoreEngine.class, DateTieredStoreEngine.class})
    void aRegionKeepsThePastThatItsSpilledChangesNeed(Class<?> engine) throws IOException {
        keepStoresIn(engine);
        put("r", "1");
        assertThat(table.drain()).isZero();
        table.flush();
        network.failures.outage(true);
        put("r", "2");
        moveToAServerWithoutTheClass();
        if (engine == DateTieredStoreEngine.class) {
            assertThatThrownBy(table::compact).isInstanceOf(IOException.class);
        } else {
            table.compact();
        }
        Rare.missing = false;
        table.move();
        network.failures.outage(false);
        assertThat(table.drain()).isZero();
        assertIndexed("r");
    }

    /** HBase does not let a coprocessor select the files: an unchecked exception would end the thread that compacts. */
    @Test
    void refusesToCompactDateTieredStores() throws IOException {
        keepStoresIn(DateTieredStoreEngine.class);
        put("r", "1");
        moveToAServerWithoutTheClass();
        for (HStore store : region().getStores()) {
            assertThatThrownBy(store::requestCompaction)
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("Compaction refused, nothing was compacted")
                    .hasMessageContaining("cannot be loaded on");
        }
    }

    private void keepStoresIn(Class<?> engine) throws IOException {
        table.alter(TableDescriptorBuilder.newBuilder(table.descriptor())
                .setValue(StoreEngine.STORE_ENGINE_CLASS_KEY, engine.getName())
                .build());
    }

    /** A server of an earlier build would leave out what a later format asks for. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"covered\":[],\"columns\":[\"f:a:string\"],\"scheme\":\"sync-full\",\"splits\":[],\"id\":\"id-1\"}",
                "{\"format\":3,\"columns\":[\"f:a:string\"],\"scheme\":\"sync-full\",\"splits\":[],\"id\":\"id-1\"}"
            })
    void refusesWritesIfADefinitionIsBrokenOrOfALaterFormat(String definition) throws IOException {
        TableDescriptor broken = TableDescriptorBuilder.newBuilder(shape.bare())
                .setValue("diffindex.index.broken", definition)
                .build();
        table.alter(broken);
        refused(() -> put("r", "1"));
        assertThatThrownBy(() -> put("r", "1"))
                .hasMessageContaining(
                        definition.equals("{}")
                                ? "Put what is missing on the class path of that server and restart it"
                                : "Upgrade Diff-Index on that server and restart it [region=");
        assertThat(region().get(new Get(row("r"))).isEmpty()).isTrue();
    }

    /**
     * The file system, for example, may be unavailable: HBase opens the region again, here or elsewhere, when the hook
     * reports it.
     */
    @Test
    void anotherFailureFailsTheOpeningAndNotTheServer() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(HConstants.HBASE_DIR, "nowhere://away/hbase");
        Region opening = mock(Region.class);
        when(opening.getTableDescriptor()).thenReturn(region().getTableDescriptor());
        when(opening.getRegionInfo()).thenReturn(region().getRegionInfo());
        RegionCoprocessorEnvironment environment = mock(RegionCoprocessorEnvironment.class);
        when(environment.getRegion()).thenReturn(opening);
        when(environment.getRegionInfo()).thenReturn(region().getRegionInfo());
        when(environment.getServerName()).thenReturn(ServerName.valueOf("rs1", 16020, 1));
        when(environment.getConfiguration()).thenReturn(conf);
        IndexObserver observer = new IndexObserver();
        observer.start(environment);
        assertThatThrownBy(() -> observer.preOpen(null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot keep the indexes of this region on this server now");
    }

    @Test
    void theServerCountsTheRegionWhileItHasIt() throws IOException {
        moveToAServerWithoutTheClass();
        assertThat(unloadedRegions()).hasValue(1L);
        Rare.missing = false;
        table.move();
        assertThat(unloadedRegions()).as("no server has one").isEmpty();
    }

    private static Optional<Object> unloadedRegions() {
        return MetricRegistries.global()
                .get(ServerMetrics.REGISTRY)
                .flatMap(metrics -> metrics.get("unloadedRegions"))
                .map(metric -> ((Gauge<?>) metric).getValue());
    }

    private void moveToAServerWithoutTheClass() throws IOException {
        Rare.missing = true;
        table.move();
    }

    private HRegion region() {
        return table.regionOf(row("r"));
    }

    private IndexEndpoint endpoint() {
        return (IndexEndpoint) region().getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .getServices()
                .iterator()
                .next();
    }

    private void put(String row, String value) throws IOException {
        table.regionOf(row(row)).put(new Put(row(row)).addColumn(F, A, Bytes.toBytes(value)));
    }

    private void assertIndexed(String... rows) throws IOException {
        Map<String, List<Cell>> visible = table.visible(List.of(rows));
        assertThat(table.entries(index)).hasSize(rows.length).isEqualTo(LocalTable.expected(index, visible));
    }

    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Write refused, nothing was written")
                .hasMessageContaining("cannot be loaded on");
    }
}
