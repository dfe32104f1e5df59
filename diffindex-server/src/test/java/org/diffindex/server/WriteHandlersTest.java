package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RWQueueRpcExecutor;
import org.apache.hadoop.hbase.ipc.RpcExecutor;
import org.apache.hadoop.hbase.ipc.SimpleRpcScheduler;
import org.apache.hadoop.hbase.regionserver.FifoRpcSchedulerFactory;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.junit.jupiter.api.Test;

/** Compares the handlers that writes can use with those that HBase's own scheduler creates under the same settings. */
class WriteHandlersTest {
    private static Stream<Configuration> settings() {
        return Stream.of("fifo", "deadline", "codel").flatMap(type -> Stream.of(1, 2, 3, 10, 30, 47, 200)
                .flatMap(handlers -> Stream.of(-1f, 0f, 0.1f, 0.33f, 1f, 2f)
                        .flatMap(factor -> Stream.of(0f, 0.05f, 0.5f, 0.6f, 0.77f, 0.95f, 1f)
                                .flatMap(reads -> Stream.of(0f, 0.5f, 1f)
                                        .map(scans -> conf(type, handlers, factor, reads, scans))))));
    }

    private static Configuration conf(String type, int handlers, float factor, float reads, float scans) {
        Configuration conf = new Configuration(false);
        conf.set(RpcExecutor.CALL_QUEUE_TYPE_CONF_KEY, type);
        conf.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, handlers);
        conf.setFloat(RpcExecutor.CALL_QUEUE_HANDLER_FACTOR_CONF_KEY, factor);
        conf.setFloat(RWQueueRpcExecutor.CALL_QUEUE_READ_SHARE_CONF_KEY, reads);
        conf.setFloat(RWQueueRpcExecutor.CALL_QUEUE_SCAN_SHARE_CONF_KEY, scans);
        return conf;
    }

    @Test
    void areThoseThatHBaseCreatesForEachSetting() throws Exception {
        for (Configuration conf : (Iterable<Configuration>) settings()::iterator) {
            assertThat(WriteHandlers.count(conf))
                    .as(
                            "%s handlers, read ratio %s, handler factor %s",
                            conf.get(HConstants.REGION_SERVER_HANDLER_COUNT),
                            conf.get(RWQueueRpcExecutor.CALL_QUEUE_READ_SHARE_CONF_KEY),
                            conf.get(RpcExecutor.CALL_QUEUE_HANDLER_FACTOR_CONF_KEY))
                    .isEqualTo(made(conf));
        }
    }

    @Test
    void areAllHandlersByDefault() throws Exception {
        Configuration conf = new Configuration(false);
        assertThat(WriteHandlers.count(conf))
                .isEqualTo(made(conf))
                .isEqualTo(HConstants.DEFAULT_REGION_SERVER_HANDLER_COUNT);
    }

    @Test
    void areAllHandlersOfASchedulerThatDoesNotSeparateReads() {
        Configuration conf = conf("fifo", 30, 0.1f, 0.9f, 0);
        conf.set(RSRpcServices.REGION_SERVER_RPC_SCHEDULER_FACTORY_CLASS, FifoRpcSchedulerFactory.class.getName());
        assertThat(WriteHandlers.count(conf)).isEqualTo(30);
    }

    /** Returns the number of handlers that HBase creates; its threads are not started. */
    private static int made(Configuration conf) throws ReflectiveOperationException {
        int handlers =
                conf.getInt(HConstants.REGION_SERVER_HANDLER_COUNT, HConstants.DEFAULT_REGION_SERVER_HANDLER_COUNT);
        Object executor = field(
                SimpleRpcScheduler.class,
                "callExecutor",
                new SimpleRpcScheduler(conf, handlers, 0, 0, null, HConstants.QOS_THRESHOLD));
        return executor instanceof RWQueueRpcExecutor
                ? (int) field(RWQueueRpcExecutor.class, "writeHandlersCount", executor)
                : (int) field(RpcExecutor.class, "handlerCount", executor);
    }

    private static Object field(Class<?> type, String name, Object of) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
