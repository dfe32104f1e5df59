package org.diffindex.server;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RWQueueRpcExecutor;
import org.apache.hadoop.hbase.ipc.RpcExecutor;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.regionserver.SimpleRpcSchedulerFactory;

/**
 * How many handlers of a region server its clients' writes can use. By default these are all that {@code
 * hbase.regionserver.handler.count} says; with {@code hbase.ipc.server.callqueue.read.ratio}, those that are left for the
 * queues of writes, which take no call from another queue. Worked out as {@code SimpleRpcScheduler}, {@code RpcExecutor} and
 * {@code RWQueueRpcExecutor} do (HBase 2.6.1), which do not tell.
 */
public final class WriteHandlers {
    private static final float DEFAULT_QUEUES_PER_HANDLER = 0.1f;

    private WriteHandlers() {}

    /** As of the settings with which a server has started. */
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
     * As of a server with HBase's own scheduler.
     *
     * @param handlers all of them
     * @param readShare the share of the queues, and of the handlers, that takes reads only; 0 or less if none does
     * @param queuesPerHandler how many queues there are for each handler
     */
    public static int count(int handlers, float readShare, float queuesPerHandler) {
        if (readShare <= 0) {
            return handlers;
        }
        int all = Math.max(2, handlers);
        int queues = Math.max(2, Math.round(all * Math.min(1f, queuesPerHandler)));
        return Math.max(ofWrites(queues, readShare), ofWrites(all, readShare));
    }

    /** Whether HBase's own scheduler runs, the only one that parts reads from writes. */
    private static boolean isSimple(Configuration conf) {
        String factory = conf.get(
                RSRpcServices.REGION_SERVER_RPC_SCHEDULER_FACTORY_CLASS, SimpleRpcSchedulerFactory.class.getName());
        return factory.equals(SimpleRpcSchedulerFactory.class.getName());
    }

    /** What is not for reads; reads have one at least, and so have writes. */
    private static int ofWrites(int count, float readShare) {
        return Math.max(1, count - Math.max(1, Math.round(count * readShare)));
    }
}
