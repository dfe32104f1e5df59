package org.diffindex.ycsb;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexQuery;
import org.diffindex.model.IndexScheme;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.RandomByteIterator;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.generator.CounterGenerator;
import site.ycsb.generator.DiscreteGenerator;

/**
 * The Diff-Index paper's workload (section 8.1): a table {@code item} of rows of about 1 KB, with an indexed title, an
 * indexed price and eight columns of random bytes. An update gives an item a new title and a new price. The load phase
 * creates the table and its indexes if the table does not exist; the run phase checks that they match the properties.
 *
 * <p>Besides YCSB's {@code INSERT}, {@code UPDATE}, {@code DELETE} and {@code READ} there are {@code READ-BY-INDEX},
 * which reads the one item with a title, and {@code RANGE-BY-INDEX}, which reads the items in a range of prices. A read
 * by index is reported as {@code UNEXPECTED_STATE} for one of three reasons: it returns an item that does not match; it
 * misses an item that this process wrote, or the thread in its session, and the scheme promises that it does not; or it
 * returns items out of order under an asynchronous scheme and outside of a session. (Under other schemes, and in a session, a row that moves during
 * the read may be found out of order.) If a read finds nothing for another reason, such as another writer, it is
 * reported as {@code NOT_FOUND}. After the last operation asynchronous indexes are drained;
 * {@code DRAIN} is the time for that, which YCSB's run time and throughput omit.
 *
 * <p>Properties besides YCSB's own ({@code recordcount}, default 1000; {@code operationcount}; {@code insertstart};
 * {@code insertcount}; {@code threadcount}; {@code target}; {@code maxexecutiontime}):
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><th>name<th>default<th>meaning
 * <tr><td>{@code table}<td>{@code item}<td>the base table
 * <tr><td>{@code columnfamily}<td>{@code cf}<td>its column family
 * <tr><td>{@code hbase.conf}<td>class path<td>the folder of hbase-site.xml
 * <tr><td>{@code diffindex.scheme}<td>{@code sync-full}<td>the scheme of both indexes, or {@code none} for no index
 * <tr><td>{@code diffindex.session}<td>{@code false}<td>whether each thread writes and reads by index in a session
 * <tr><td>{@code diffindex.selectivity}<td>{@code 0.001}<td>the share of all items that a range read requests, 0 to 1
 * <tr><td>{@code diffindex.regions}<td>{@code 3}<td>the number of regions with which each table is created
 * <tr><td>{@code diffindex.verify}<td>{@code true}<td>{@code false} if other processes write the same items, so that a
 *     miss proves nothing
 * <tr><td>{@code requestdistribution}<td>{@code uniform}<td>{@code uniform}, {@code zipfian} or {@code latest}
 * <tr><td>{@code fieldlength}<td>{@code 100}<td>the bytes of each column of random bytes
 * <tr><td>{@code updateproportion}<td>{@code 0.5}<td rowspan=6>the share of each operation; they sum to 1
 * <tr><td>{@code readbyindexproportion}<td>{@code 0.5}
 * <tr><td>{@code rangebyindexproportion}<td>{@code 0}
 * <tr><td>{@code readproportion}<td>{@code 0}
 * <tr><td>{@code insertproportion}<td>{@code 0}
 * <tr><td>{@code deleteproportion}<td>{@code 0}
 * </table>
 *
 * <p>YCSB wraps every {@link DB} such that only its own five operations are available; therefore a thread's state,
 * which {@link #initThread} creates, gives access to the indexes. Safe for use by many threads.
 */
public class ItemWorkload extends Workload {
    private final Collection<ItemThread> threads = new ConcurrentLinkedQueue<>();
    private final ItemStates states = new ItemStates();

    private ItemProperties properties;
    private ItemChooser chooser;
    private CounterGenerator loadSequence;
    private DiscreteGenerator operations;
    private SharedConnection connection;

    /** Creates a workload; YCSB calls this constructor by reflection. */
    public ItemWorkload() {}

    /**
     * Parses the properties, and creates or checks the table.
     *
     * @throws WorkloadException if a property is invalid, the table does not match the properties, or the cluster does
     *     not answer
     */
    @Override
    public void init(Properties all) throws WorkloadException {
        configure(all);
        try {
            connection = SharedConnection.open(all);
            new ItemTable(properties).prepare(connection.get());
        } catch (IOException e) {
            throw new WorkloadException(
                    "Table " + properties.table() + " could not be prepared; nothing was run: " + e.getMessage(), e);
        }
    }

    /** Performs the part of {@link #init} that needs no cluster. */
    void configure(Properties all) throws WorkloadException {
        properties = ItemProperties.of(all);
        chooser = new ItemChooser(properties);
        loadSequence = new CounterGenerator(properties.insertStart());
        operations = new DiscreteGenerator();
        for (ItemOperation operation : ItemOperation.values()) {
            if (properties.proportion(operation) > 0) {
                operations.addValue(properties.proportion(operation), operation.name());
            }
        }
    }

    /** Returns the thread's state, which owns its access to the indexes. */
    @Override
    public Object initThread(Properties all, int id, int count) throws WorkloadException {
        try {
            return register(ClusterItemIndexes.open(connection.get(), properties));
        } catch (IOException e) {
            throw new WorkloadException(
                    "Thread " + id + " could not open table " + properties.table() + ": " + e.getMessage(), e);
        }
    }

    ItemThread register(ItemIndexes indexes) {
        ItemThread thread = new ItemThread(indexes, properties, states);
        threads.add(thread);
        return thread;
    }

    ItemStates states() {
        return states;
    }

    /**
     * Drains asynchronous indexes, and closes the resources of the threads.
     *
     * @throws WorkloadException if a resource cannot be closed
     */
    @Override
    public void cleanup() throws WorkloadException {
        if (connection != null && isAsynchronous()) {
            ItemDrain.measure(this::drain);
        }
        try {
            for (ItemThread thread : threads) {
                thread.close();
            }
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            throw new WorkloadException(
                    "The workload is complete, but its connection could not be closed: " + e.getMessage(), e);
        }
    }

    private boolean isAsynchronous() {
        return properties.scheme().filter(IndexScheme::isAsynchronous).isPresent();
    }

    private long drain(Duration timeout) throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection.get())) {
            return admin.drain(properties.table(), timeout);
        }
    }

    /** Loads the next item; a failure ends the load of this thread. */
    @Override
    public boolean doInsert(DB db, Object threadState) {
        return insert(db, (ItemThread) threadState, loadSequence.nextValue().longValue())
                .isOk();
    }

    /** Performs one operation. A failure is counted, and the next operation follows. */
    @Override
    public boolean doTransaction(DB db, Object threadState) {
        ItemThread thread = (ItemThread) threadState;
        Status unused =
                switch (ItemOperation.valueOf(operations.nextString())) {
                    case INSERT -> insertNew(db, thread);
                    case UPDATE -> update(db, thread);
                    case DELETE -> delete(db, thread);
                    case READ -> read(db);
                    case READ_BY_INDEX -> thread.readByIndex(chooser.next(states));
                    case RANGE_BY_INDEX -> rangeByIndex(thread);
                };
        return true;
    }

    private Status insertNew(DB db, ItemThread thread) {
        long item = chooser.beginInsert();
        try {
            Status status = insert(db, thread, item);
            if (status.isOk()) {
                states.learn(item, 0);
            }
            return status;
        } finally {
            chooser.endInsert(item);
        }
    }

    private Status insert(DB db, ItemThread thread, long item) {
        Map<String, ByteIterator> values = indexedValues(item, 0);
        for (String column : Items.FILLERS) {
            values.put(column, new RandomByteIterator(properties.fieldLength()));
        }
        return thread.isInSession()
                ? thread.put(ItemOperation.INSERT, item, values)
                : db.insert(properties.table().getNameAsString(), Items.key(item), values);
    }

    private Status update(DB db, ItemThread thread) {
        long item = chooser.next(states);
        Map<String, ByteIterator> values = indexedValues(item, states.begin(item));
        Status status = Status.ERROR;
        try {
            status = thread.isInSession()
                    ? thread.put(ItemOperation.UPDATE, item, values)
                    : db.update(properties.table().getNameAsString(), Items.key(item), values);
            return status;
        } finally {
            states.end(item, false, status.isOk());
        }
    }

    private Status delete(DB db, ItemThread thread) {
        long item = chooser.next(states);
        int unused = states.begin(item);
        Status status = Status.ERROR;
        try {
            status = thread.isInSession()
                    ? thread.delete(item)
                    : db.delete(properties.table().getNameAsString(), Items.key(item));
            return status;
        } finally {
            states.end(item, true, status.isOk());
        }
    }

    private Status read(DB db) {
        return db.read(
                properties.table().getNameAsString(),
                Items.key(chooser.next(states)),
                new HashSet<>(Items.COLUMNS),
                new HashMap<>());
    }

    private Status rangeByIndex(ItemThread thread) {
        long width = Math.max(1, Math.round(Items.PRICES * properties.selectivity()));
        long from = ThreadLocalRandom.current().nextLong(Items.PRICES - width + 1);
        IndexQuery query = IndexQuery.index(ItemIndexes.BY_PRICE)
                .from(from)
                .to(from + width)
                .build();
        return thread.rangeByIndex(query, from, from + width);
    }

    private static Map<String, ByteIterator> indexedValues(long item, int version) {
        Map<String, ByteIterator> values = new HashMap<>();
        values.put(Items.TITLE, new ByteArrayByteIterator(Items.titleBytes(item, version)));
        values.put(Items.PRICE, new ByteArrayByteIterator(Items.priceBytes(item, version)));
        return values;
    }
}
