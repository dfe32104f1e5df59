package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.RETURNS_SELF;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.TableIndexes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that definitions can be read without a master as long as one region of the table answers. */
class DefinitionSourceTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final byte[] LAST = Bytes.toBytes("m");
    private static final IndexDefinition DEFINITION = IndexDefinition.builder(TABLE, "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build();
    private static final TableDescriptor DESCRIPTOR = IndexDefinitions.with(
            TableDescriptorBuilder.newBuilder(TABLE)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                    .build(),
            DEFINITION);
    private static final BlockingRpcChannel ANSWERS = DefinitionService.of(DESCRIPTOR);

    private final Connection connection = mock(Connection.class);
    private final Table table = mock(Table.class);
    private final Admin admin = mock(Admin.class);
    private final DefinitionSource source = new DefinitionSource(connection, TABLE);

    @BeforeEach
    void connect() throws IOException {
        RegionLocator locator = mock(RegionLocator.class);
        when(connection.getTable(TABLE)).thenReturn(table);
        when(connection.getAdmin()).thenReturn(admin);
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        when(locator.getAllRegionLocations())
                .thenReturn(Arrays.asList(
                        new HRegionLocation(RegionInfoBuilder.newBuilder(TABLE).build(), null),
                        new HRegionLocation(
                                RegionInfoBuilder.newBuilder(TABLE)
                                        .setStartKey(LAST)
                                        .build(),
                                null),
                        null)); // a replica without a server
        when(admin.getDescriptor(TABLE)).thenThrow(new IOException("no master"));
    }

    private void regions(BlockingRpcChannel first, BlockingRpcChannel last) {
        when(table.coprocessorService(HConstants.EMPTY_START_ROW)).thenReturn(new DefinitionService(first));
        when(table.coprocessorService(LAST)).thenReturn(new DefinitionService(last));
    }

    private static BlockingRpcChannel failing(IOException failure) {
        return (method, controller, request, prototype) -> {
            throw new ServiceException("the call failed", failure);
        };
    }

    /** Its own table keeps the definition of a DISABLED index, and refuses readers. */
    @Test
    void asksTheTableOfAnIndexThatIsNotDefinedWhy() throws IOException {
        Table own = mock(Table.class);
        TableBuilder builder = mock(TableBuilder.class, RETURNS_SELF);
        when(builder.build()).thenReturn(own);
        when(connection.getTableBuilder(DEFINITION.indexTable(), null)).thenReturn(builder);
        IndexNotReadableException disabled = new IndexNotReadableException("it is DISABLED");
        when(own.get(argThat((Get get) -> get.getAttribute(IndexAddress.READER_ATTRIBUTE) != null)))
                .thenThrow(disabled)
                .thenThrow(new TableNotFoundException("there is none"));
        assertThat(source.missing(TABLE, DEFINITION.name())).isSameAs(disabled);
        assertThat(source.missing(TABLE, DEFINITION.name())).isInstanceOf(NoSuchIndexException.class);
        assertThat(source.missing(TABLE, "no name\n")).isInstanceOf(NoSuchIndexException.class);
    }

    @Test
    void asksARegionAndNoMaster() throws IOException {
        regions(ANSWERS, failing(new IOException("away")));
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
        verify(connection, never()).getAdmin();
    }

    /** Neither another region nor the master would tell more of an index whose class this client lacks. */
    @Test
    void anIndexThatCannotBeLoadedDoesNotAffectTheOthers() throws IOException {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(DESCRIPTOR)
                .setValue(
                        "diffindex.index.by_day",
                        "{\"columns\":[\"f:d:class(org.example.Missing)\"],\"scheme\":\"sync-full\",\"splits\":[],"
                                + "\"state\":\"ACTIVE\",\"id\":\"x\"}")
                .build();
        regions(DefinitionService.of(descriptor), failing(new IOException("away")));
        TableIndexes indexes = source.read();
        assertThat(indexes.loaded()).containsOnly(Map.entry("by_v", DEFINITION));
        assertThat(indexes.unloaded()).containsOnlyKeys("by_day");
        regions(failing(new IOException("away")), failing(new IOException("away too")));
        doReturn(descriptor).when(admin).getDescriptor(TABLE);
        assertThat(source.read()).isEqualTo(indexes);
    }

    @Test
    void asksAnotherRegionIfTheFirstIsUnavailable() throws IOException {
        regions(failing(new IOException("away")), ANSWERS);
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
        verify(connection, never()).getAdmin();
    }

    @Test
    void asksAnotherRegionIfTheFirstDoesNotAnswer() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        regions(
                (method, controller, request, prototype) -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw new ServiceException("interrupted", e);
                    }
                    return null;
                },
                ANSWERS);
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
    }

    @Test
    void asksTheMasterIfNoRegionAnswers() throws IOException {
        regions(failing(new IOException("away")), failing(new IOException("away too")));
        assertThatThrownBy(source::read).isInstanceOf(IOException.class).hasMessage("away");
        doReturn(DESCRIPTOR).when(admin).getDescriptor(TABLE);
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
    }

    @Test
    void aTableWithoutTheCoprocessorHasNoIndex() throws IOException {
        regions(
                failing(new UnknownProtocolException(
                        null, "No registered coprocessor service found for DiffIndexService in region r")),
                ANSWERS);
        assertThat(source.read()).isEqualTo(TableIndexes.NONE);
    }

    @Test
    void reportsAMissingTableAtOnce() throws IOException {
        regions(failing(new TableNotFoundException("t")), ANSWERS);
        assertThatThrownBy(source::read)
                .isInstanceOf(TableNotFoundException.class)
                .hasMessageContaining("There is no table t");
        verify(connection, never()).getAdmin();
    }

    @Test
    void aClientThatMayNotAskTheMasterWaitsForARegion() throws IOException {
        CountDownLatch denied = new CountDownLatch(1);
        BlockingRpcChannel late = (method, controller, request, prototype) -> {
            try {
                denied.await();
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new ServiceException("interrupted", e);
            }
            return ANSWERS.callBlockingMethod(method, controller, request, prototype);
        };
        regions(late, late);
        doAnswer(call -> {
                    denied.countDown();
                    throw new AccessDeniedException("CREATE or ADMIN is needed");
                })
                .when(admin)
                .getDescriptor(TABLE);
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
    }

    @Test
    void aClientThatMayNotAskARegionAsksTheMaster() throws IOException {
        BlockingRpcChannel denying = failing(new AccessDeniedException("EXEC is needed"));
        regions(denying, denying);
        doReturn(DESCRIPTOR).when(admin).getDescriptor(TABLE);
        assertThat(source.read().loaded()).containsEntry("by_v", DEFINITION);
    }

    @Test
    void aRegionsRefusalIsReportedBeforeTheMasters() throws IOException {
        BlockingRpcChannel denying = failing(new AccessDeniedException("READ is needed"));
        regions(denying, denying);
        assertThatThrownBy(source::read)
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage("READ is needed");
    }
}
