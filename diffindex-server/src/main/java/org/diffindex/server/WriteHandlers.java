package org.diffindex.server;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RWQueueRpcExecutor;
import org.apache.hadoop.hbase.ipc.RpcExecutor;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.regionserver.SimpleRpcSchedulerFactory;

/**
 * Computes the number of handlers of a region server that are available to writes of normal priority. By default these
 * are all of {@code hbase.regionserver.handler.count}; if {@code hbase.ipc.server.callqueue.read.ratio} is above 0,
 * only those that serve the write queues: HBase's handlers then take no call from a queue of the other kind. Repeats
 * the computation of {@code SimpleRpcScheduler}, {@code RpcExecutor} and {@code RWQueueRpcExecutor} (HBase 2.6.1),
 * which do not expose it. Under another scheduler all handlers count.
 */
public final class WriteHandlers {
    private static final float DEFAULT_QUEUES_PER_HANDLER = 0.1f;

    private WriteHandlers() {}

    /** Returns the number for a server that was started with the given configuration. */
    static int count(Configuration conf) {
        int handlers =
                conf.getInt(HConstants.REGION_SERVER_HANDLER_COUNT, HConstants.DEFAULT_REGION_SERVER_HANDLER_COUNT);
        return isSimple(conf)
                ? count(
                        handlers,
                        conf.getFloat(RWQueueRpcExecutor.CALL_QUEUE_READ_SHARE_CONF_KEY, 0),
                        conf.getFloat(RpcExecutor.CALL_QUEUE_HANDLER_FACTOR_CONF_KEY, DEFAULT_QUEUES_PER_HANDLER))
                : handlers;
    }

    /**
     * Returns the number for a server with HBase's default scheduler; at least 1 if {@code readShare} is above 0.
     *
     * @param handlers the configured number of handlers; HBase starts at least 2 if {@code readShare} is above 0
     * @param readShare the share of the queues, and of the handlers, that serves only reads and scans; 0 or less if
     *     none does
     * @param queuesPerHandler the configured number of queues for each handler; HBase uses at most 1
     */
    public static int count(int handlers, float readShare, float queuesPerHandler) {
        if (readShare <= 0) {
            return handlers;
        }
        int all = Math.max(2, handlers);
        int queues = Math.max(2, Math.round(all * Math.min(1f, queuesPerHandler)));
        return Math.max(ofWrites(queues, readShare), ofWrites(all, readShare));
    }

    /** Returns whether HBase's default scheduler runs, the only one of HBase's that can separate reads from writes. */
    private static boolean isSimple(Configuration conf) {
        String factory = conf.get(
                RSRpcServices.REGION_SERVER_RPC_SCHEDULER_FACTORY_CLASS, SimpleRpcSchedulerFactory.class.getName());
        return factory.equals(SimpleRpcSchedulerFactory.class.getName());
    }

    /** Returns how many of at least two handlers or queues serve writes; at least one serves writes, and one reads. */
    private static int ofWrites(int count, float readShare) {
        return Math.max(1, count - Math.max(1, Math.round(count * readShare)));
    }
}
