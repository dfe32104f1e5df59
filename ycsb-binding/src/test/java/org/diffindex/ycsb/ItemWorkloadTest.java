package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexQuery;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.ArgumentCaptor;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

class ItemWorkloadTest {
    /** An item table in memory, correct unless a test plants an error. */
    private static final class MemoryIndexes implements ItemIndexes {
        private final Map<String, String> titles = new TreeMap<>();
        private final Map<Long, String> prices = new TreeMap<>();

        /** The prices that a range finds, in this order; those of {@link #prices} if there are none. */
        private final List<Long> found = new ArrayList<>();

        private boolean session;
        private boolean down;
        private boolean closed;

        void hold(long item, int version) {
            titles.values().remove(Items.key(item));
            prices.values().remove(Items.key(item));
            titles.put(Items.title(item, version), Items.key(item));
            prices.put(Items.price(item, version), Items.key(item));
        }

        @Override
        public void read(IndexQuery query, HitConsumer hits) throws IOException {
            if (down) {
                throw new IOException("planted");
            }
            if (query.index().equals(BY_TITLE)) {
                byte[] title = (byte[]) query.equalTo().get(0);
                String row = titles.get(Bytes.toString(title));
                if (row != null) {
                    hits.accept(Bytes.toBytes(row), title);
                }
                return;
            }
            long from = (Long) query.from().get(0);
            long to = (Long) query.to().get(0);
            found.forEach(price -> hits.accept(Bytes.toBytes(Items.key(0)), Bytes.toBytes(price)));
            prices.forEach((price, row) -> {
                if (from <= price && price < to) {
                    hits.accept(Bytes.toBytes(row), Bytes.toBytes(price));
                }
            });
        }

        @Override
        public Optional<byte[]> titleOf(byte[] row) {
            return titles.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(Bytes.toString(row)))
                    .map(entry -> Bytes.toBytes(entry.getKey()))
                    .findFirst();
        }

        @Override
        public boolean inSession() {
            return session;
        }

        @Override
        public void put(Put put) {
            String title = Bytes.toString(CellUtil.cloneValue(
                    put.get(Bytes.toBytes("cf"), Bytes.toBytes(Items.TITLE)).get(0)));
            titles.values().remove(Bytes.toString(put.getRow()));
            titles.put(title, Bytes.toString(put.getRow()));
        }

        @Override
        public void delete(Delete delete) {
            titles.values().remove(Bytes.toString(delete.getRow()));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final MemoryIndexes indexes = new MemoryIndexes();
    private final DB db = mock();
    private final ItemWorkload workload = new ItemWorkload();

    @BeforeEach
    void measureAnew() {
        Measurements.setProperties(new Properties());
        when(db.update(any(), any(), any())).thenReturn(Status.OK);
        when(db.insert(any(), any(), any())).thenReturn(Status.OK);
        when(db.delete(any(), any())).thenReturn(Status.OK);
        when(db.read(any(), any(), any(), any())).thenReturn(Status.OK);
    }

    @AfterEach
    void theThreadsStateIsClosed() throws WorkloadException {
        workload.cleanup();
        assertThat(indexes.closed).isTrue();
    }

    private ItemThread start(String... namesAndValues) throws WorkloadException {
        Properties properties = ItemPropertiesTest.properties(namesAndValues);
        properties.putIfAbsent("recordcount", "1");
        workload.configure(properties);
        return workload.register(indexes);
    }

    private ItemThread startOnly(String operation, String... namesAndValues) throws WorkloadException {
        String[] all = new String[namesAndValues.length + 6];
        all[0] = "updateproportion";
        all[1] = "0";
        all[2] = "readbyindexproportion";
        all[3] = "0";
        all[4] = operation;
        all[5] = "1";
        System.arraycopy(namesAndValues, 0, all, 6, namesAndValues.length);
        return start(all);
    }

    @Test
    void aLoadWritesTheTenColumnsOfOneItemAfterTheOther() throws WorkloadException {
        ItemThread thread = start("insertstart", "5");

        assertThat(workload.doInsert(db, thread)).isTrue();
        assertThat(workload.doInsert(db, thread)).isTrue();

        ArgumentCaptor<Map<String, ByteIterator>> values = ArgumentCaptor.captor();
        verify(db).insert(eq("item"), eq(Items.key(5)), values.capture());
        verify(db).insert(eq("item"), eq(Items.key(6)), any());
        assertThat(values.getValue()).containsOnlyKeys(Items.COLUMNS);
        assertThat(values.getValue().get(Items.TITLE).toArray()).isEqualTo(Items.titleBytes(5, 0));
        assertThat(values.getValue().get(Items.PRICE).toArray()).isEqualTo(Items.priceBytes(5, 0));
        for (String column : Items.FILLERS) {
            assertThat(values.getValue().get(column).toArray()).hasSize(100);
        }
    }

    @Test
    void aLoadEndsAtAnInsertThatFails() throws WorkloadException {
        ItemThread thread = start();
        when(db.insert(any(), any(), any())).thenReturn(Status.ERROR);
        assertThat(workload.doInsert(db, thread)).isFalse();
    }

    @Test
    void anUpdateGivesANewTitleAndPrice() throws WorkloadException {
        ItemThread thread = startOnly("updateproportion");
        assertThat(workload.doTransaction(db, thread)).isTrue();
        assertThat(workload.doTransaction(db, thread)).isTrue();

        ArgumentCaptor<Map<String, ByteIterator>> values = ArgumentCaptor.captor();
        verify(db, times(2)).update(eq("item"), eq(Items.key(0)), values.capture());
        Map<String, ByteIterator> second = values.getAllValues().get(1);
        assertThat(second).containsOnlyKeys(Items.TITLE, Items.PRICE);
        assertThat(second.get(Items.TITLE).toArray()).isEqualTo(Items.titleBytes(0, 2));
        assertThat(second.get(Items.PRICE).toArray()).isEqualTo(Items.priceBytes(0, 2));
        assertThat(workload.states().of(0).isKnownToExist()).isTrue();
    }

    @Test
    void insertsReadsAndDeletesGoToTheDb() throws WorkloadException {
        assertThat(workload.doTransaction(db, startOnly("insertproportion"))).isTrue();
        verify(db).insert(eq("item"), eq(Items.key(1)), any());
        assertThat(workload.states().of(1).isKnownToExist()).isTrue();

        assertThat(workload.doTransaction(db, startOnly("readproportion"))).isTrue();
        verify(db).read(eq("item"), eq(Items.key(0)), any(), any());

        assertThat(workload.doTransaction(db, startOnly("deleteproportion"))).isTrue();
        verify(db).delete("item", Items.key(0));
        assertThat(workload.states().of(0).isKnownToBeDeleted()).isTrue();
    }

    @Test
    void aReadByIndexFindsTheItem() throws WorkloadException {
        ItemThread thread = start();
        indexes.hold(0, 0);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.OK);
        verify(db, never()).read(any(), any(), any(), any());
    }

    @Test
    void aReadByIndexThatMissesAWriteOfThisProcessIsUnexpected() throws WorkloadException {
        ItemThread thread = start("diffindex.scheme", "sync-insert");
        int version = workload.states().begin(0);
        indexes.hold(0, version - 1);
        assertThat(thread.readByIndex(0)).as("while the write is in flight").isEqualTo(Status.NOT_FOUND);
        workload.states().end(0, false, true);
        assertThat(thread.readByIndex(0)).as("after the write").isEqualTo(Status.UNEXPECTED_STATE);
        indexes.hold(0, version);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.OK);
    }

    @Test
    void anAsynchronousSchemeMayMissAWrite() throws WorkloadException {
        ItemThread thread = start("diffindex.scheme", "async-simple");
        assertThat(workload.states().begin(0)).isEqualTo(1);
        workload.states().end(0, false, true);
        indexes.hold(0, 0);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.NOT_FOUND);
    }

    @Test
    void aSessionThatMissesAWriteOfItsOwnIsUnexpected() throws WorkloadException {
        indexes.session = true;
        ItemThread thread = startOnly("updateproportion", "diffindex.scheme", "async-session");
        MemoryIndexes others = new MemoryIndexes();
        others.session = true;
        ItemThread other = workload.register(others);
        assertThat(workload.doTransaction(db, thread)).isTrue();
        assertThat(thread.readByIndex(0)).isEqualTo(Status.OK);
        indexes.hold(0, 0);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.UNEXPECTED_STATE);
        assertThat(other.readByIndex(0)).as("in the session of another thread").isEqualTo(Status.NOT_FOUND);
        assertThat(workload.doTransaction(db, other)).isTrue();
        assertThat(thread.readByIndex(0))
                .as("after the write of another thread")
                .isEqualTo(Status.NOT_FOUND);
    }

    @Test
    void anInsertThatItsSessionMissesIsUnexpected() throws WorkloadException {
        indexes.session = true;
        ItemThread thread = startOnly("insertproportion", "diffindex.scheme", "async-session");
        assertThat(workload.doTransaction(db, thread)).isTrue();
        assertThat(thread.readByIndex(1)).isEqualTo(Status.OK);
        indexes.titles.clear();
        assertThat(thread.readByIndex(1)).isEqualTo(Status.UNEXPECTED_STATE);
    }

    @Test
    void withOtherWritersAMissProvesNothing() throws WorkloadException {
        ItemThread thread = start("diffindex.verify", "false");
        assertThat(workload.states().begin(0)).isEqualTo(1);
        workload.states().end(0, false, true);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.NOT_FOUND);
    }

    @Test
    void aHitOfAnotherRowIsUnexpected() throws WorkloadException {
        ItemThread thread = start("diffindex.scheme", "async-simple");
        indexes.titles.put(Items.title(0, 0), Items.key(1));
        assertThat(thread.readByIndex(0)).isEqualTo(Status.UNEXPECTED_STATE);
    }

    @Test
    void theVersionOfAnEarlierRunIsLearntFromTheRow() throws WorkloadException {
        ItemThread thread = start();
        indexes.hold(0, 9);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.NOT_FOUND);
        assertThat(thread.readByIndex(0)).isEqualTo(Status.OK);
    }

    @Test
    void aRangeIsCheckedAgainstItsBounds() throws WorkloadException {
        ItemThread thread = startOnly("rangebyindexproportion", "diffindex.selectivity", "1");
        indexes.hold(0, 0);
        indexes.hold(1, 0);
        assertThat(workload.doTransaction(db, thread)).isTrue();

        IndexQuery query =
                IndexQuery.index(ItemIndexes.BY_PRICE).from(0L).to(Items.PRICES).build();
        assertThat(thread.rangeByIndex(query, 0, Items.PRICES)).isEqualTo(Status.OK);
        assertThat(thread.rangeByIndex(query, 0, 1)).isEqualTo(Status.UNEXPECTED_STATE);
    }

    /** See "What a scan promises" in docs/consistency.md: a row that moves may be found out of order. */
    @ParameterizedTest
    @CsvSource({
        "sync-full, false, true",
        "sync-insert, false, true",
        "async-simple, false, false",
        "async-session, false, false",
        "async-session, true, true"
    })
    void aRangeIsInOrderWhereTheSchemePromisesIt(String scheme, boolean session, boolean mayBeOutOfOrder)
            throws WorkloadException {
        indexes.session = session;
        ItemThread thread = start("diffindex.scheme", scheme);
        IndexQuery query =
                IndexQuery.index(ItemIndexes.BY_PRICE).from(0L).to(100L).build();
        indexes.found.addAll(List.of(10L, 50L));
        assertThat(thread.rangeByIndex(query, 0, 100)).isEqualTo(Status.OK);
        indexes.found.add(10L);
        assertThat(thread.rangeByIndex(query, 0, 100)).isEqualTo(mayBeOutOfOrder ? Status.OK : Status.UNEXPECTED_STATE);
        assertThat(thread.rangeByIndex(query, 0, 50)).isEqualTo(Status.UNEXPECTED_STATE);
    }

    @Test
    void aClusterThatFailsIsAnErrorNotAnException() throws WorkloadException {
        ItemThread thread = start();
        indexes.down = true;
        assertThat(thread.readByIndex(0)).isEqualTo(Status.ERROR);
    }

    @Test
    void writesGoThroughTheSession() throws WorkloadException {
        indexes.session = true;
        String[] session = {"diffindex.scheme", "async-session", "diffindex.session", "true"};
        ItemThread thread = startOnly("updateproportion", session);
        indexes.hold(0, 0);
        assertThat(workload.doTransaction(db, thread)).isTrue();
        assertThat(thread.readByIndex(0)).isEqualTo(Status.OK);
        assertThat(indexes.titles).containsOnlyKeys(Items.title(0, 1));

        assertThat(workload.doInsert(db, thread)).isTrue();
        assertThat(workload.doTransaction(db, startOnly("deleteproportion", session)))
                .isTrue();
        assertThat(indexes.titles).isEmpty();
        verify(db, never()).update(any(), any(), any());
        verify(db, never()).insert(any(), any(), any());
        verify(db, never()).delete(any(), any());
    }

    @Test
    void anInvalidPropertyEndsTheRunBeforeItBegins() throws WorkloadException {
        ItemThread unused = start();
        assertThatThrownBy(() -> new ItemWorkload().init(ItemPropertiesTest.properties("diffindex.scheme", "sync")))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("No index scheme is called 'sync'");
    }

    @Test
    void aFolderWithoutAConfigurationIsNamed(@TempDir Path folder) throws WorkloadException {
        ItemThread unused = start();
        assertThatThrownBy(
                        () -> new ItemWorkload().init(ItemPropertiesTest.properties("hbase.conf", folder.toString())))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("nothing was run: There is no readable hbase-site.xml in " + folder);
    }
}
