package org.diffindex.model;

/**
 * The settings of a server on which Diff-Index's promises depend, and which a server therefore reports to the client's
 * {@code Inspector}. No other setting is reported, since some are secret.
 */
public enum ServerSetting {
    /** With true a crashed server's WAL is not replayed through the coprocessors. */
    SPLIT_TO_HFILE("hbase.wal.split.to.hfile", "false"),
    /** With false a server whose coprocessor cannot be loaded, or fails, goes on without it. */
    ABORT_ON_ERROR("hbase.coprocessor.abortonerror", "true"),
    /** With false no coprocessor at all is loaded. */
    COPROCESSORS("hbase.coprocessor.enabled", "true"),
    /** With false none is loaded that a table names. */
    TABLE_COPROCESSORS("hbase.coprocessor.user.enabled", "true"),
    /** Handlers for ordinary calls. */
    HANDLERS("hbase.regionserver.handler.count", "30"),
    /** Which share of the handlers for ordinary calls takes reads only. */
    READ_SHARE("hbase.ipc.server.callqueue.read.ratio", "0"),
    /** How many queues of ordinary calls there are for each handler. */
    QUEUES_PER_HANDLER("hbase.ipc.server.callqueue.handler.factor", "0.1"),
    /** Handlers for urgent calls, the writes to index tables among them. */
    PRIORITY_HANDLERS("hbase.regionserver.metahandler.count", "20"),
    /** Which share of the handlers for urgent calls takes reads only. */
    PRIORITY_READ_SHARE("hbase.ipc.server.metacallqueue.read.ratio", "0.9"),
    /** Threads that write out the edits of a WAL that is split. */
    SPLIT_WRITERS("hbase.regionserver.hlog.splitlog.writer.threads", "3"),
    /** Whether the splitting of a WAL bounds its writers, which is another way of splitting. */
    SPLIT_BOUNDED("hbase.split.writer.creation.bounded", "false"),
    /** In-memory compaction of column families that do not say which they want. */
    MEMORY_COMPACTION("hbase.hregion.compacting.memstore.type", "NONE"),
    /** Memory, in bytes, for index updates on their way. */
    QUEUE_MAX_BYTES("diffindex.auq.max.bytes", "67108864"),
    /** Threads of the APS. */
    PROCESSOR_THREADS("diffindex.aps.threads", "4"),
    /** How long, in milliseconds, one delivery tries before it counts as failed. */
    DELIVERY_TIMEOUT("diffindex.delivery.timeout.ms", "30000");

    private final String key;
    private final String valueUnlessSet;

    ServerSetting(String key, String valueUnlessSet) {
        this.key = key;
        this.valueUnlessSet = valueUnlessSet;
    }

    /** Its name in hbase-site.xml. */
    public String key() {
        return key;
    }

    /** The value that a server goes by if it is not set. */
    public String valueUnlessSet() {
        return valueUnlessSet;
    }

    @Override
    public String toString() {
        return key;
    }
}
