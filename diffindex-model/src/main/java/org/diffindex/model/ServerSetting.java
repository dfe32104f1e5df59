package org.diffindex.model;

/**
 * The server settings on which Diff-Index's promises depend; a server reports them to the client's {@code Inspector}.
 * No other setting is reported, since some are secret.
 */
public enum ServerSetting {
    /** If true, a crashed server's WAL is not replayed through the coprocessors. */
    SPLIT_TO_HFILE("hbase.wal.split.to.hfile", "false"),
    /** If false, a server whose coprocessor fails or cannot be loaded continues without it. */
    ABORT_ON_ERROR("hbase.coprocessor.abortonerror", "true"),
    /** If false, no coprocessor is loaded. */
    COPROCESSORS("hbase.coprocessor.enabled", "true"),
    /** If false, no coprocessor named by a table is loaded. */
    TABLE_COPROCESSORS("hbase.coprocessor.user.enabled", "true"),
    /** The coprocessors of a master, in the order in which it asks them. */
    MASTER_COPROCESSORS("hbase.coprocessor.master.classes", ""),
    /** Handlers for normal-priority calls. */
    HANDLERS("hbase.regionserver.handler.count", "30"),
    /** The share of the normal-priority handlers that serves reads only. */
    READ_SHARE("hbase.ipc.server.callqueue.read.ratio", "0"),
    /** The number of normal-priority call queues per handler. */
    QUEUES_PER_HANDLER("hbase.ipc.server.callqueue.handler.factor", "0.1"),
    /** Handlers for high-priority calls, including writes to index tables. */
    PRIORITY_HANDLERS("hbase.regionserver.metahandler.count", "20"),
    /** The share of the high-priority handlers that serves reads only. */
    PRIORITY_READ_SHARE("hbase.ipc.server.metacallqueue.read.ratio", "0.9"),
    /** Threads that write the edits of a WAL being split. */
    SPLIT_WRITERS("hbase.regionserver.hlog.splitlog.writer.threads", "3"),
    /** Whether WAL splitting bounds the number of open writers, which uses another splitting algorithm. */
    SPLIT_BOUNDED("hbase.split.writer.creation.bounded", "false"),
    /** In-memory compaction policy of column families that do not set one. */
    MEMORY_COMPACTION("hbase.hregion.compacting.memstore.type", "NONE"),
    /** Whether compactions put old values into files of their own, unless a table or column family says otherwise. */
    HISTORICAL_FILES("hbase.enable.historical.compaction.files", "false"),
    /** The class that keeps and compacts the files of column families, unless these or their tables set one. */
    STORE_ENGINE("hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.DefaultStoreEngine"),
    /** Memory limit, in bytes, for index updates in flight. */
    QUEUE_MAX_BYTES("diffindex.auq.max.bytes", "67108864"),
    /** Threads of the APS. */
    PROCESSOR_THREADS("diffindex.aps.threads", "4"),
    /** How long, in milliseconds, one delivery is attempted before it counts as failed. */
    DELIVERY_TIMEOUT("diffindex.delivery.timeout.ms", "30000");

    private final String key;
    private final String valueUnlessSet;

    ServerSetting(String key, String valueUnlessSet) {
        this.key = key;
        this.valueUnlessSet = valueUnlessSet;
    }

    /** Returns the setting's key in hbase-site.xml. */
    public String key() {
        return key;
    }

    /** Returns the value in effect if the setting is absent. */
    public String valueUnlessSet() {
        return valueUnlessSet;
    }

    @Override
    public String toString() {
        return key;
    }
}
