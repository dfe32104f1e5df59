package org.diffindex.server.local;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.zookeeper.RecoverableZooKeeper;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.hadoop.hbase.zookeeper.ZNodePaths;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** The ZooKeeper session of a server, which a test ends as ZooKeeper does when it has not heard from the server. */
public final class FakeSession {
    private static final Duration TIMEOUT = Duration.ofSeconds(6);

    private final ZKWatcher watcher = mock(ZKWatcher.class);

    private volatile boolean ended;

    public FakeSession() throws KeeperException {
        ZooKeeper client = mock(ZooKeeper.class);
        when(client.getSessionTimeout()).thenReturn((int) TIMEOUT.toMillis());
        RecoverableZooKeeper zooKeeper = mock(RecoverableZooKeeper.class);
        when(zooKeeper.getZooKeeper()).thenReturn(client);
        doAnswer(call -> {
                    KeeperException.Code code = ended ? KeeperException.Code.SESSIONEXPIRED : KeeperException.Code.OK;
                    call.<AsyncCallback.VoidCallback>getArgument(1)
                            .processResult(code.intValue(), call.getArgument(0), null);
                    return null;
                })
                .when(zooKeeper)
                .sync(any(), any(), any());
        when(watcher.getRecoverableZooKeeper()).thenReturn(zooKeeper);
        when(watcher.getZNodePaths()).thenReturn(new ZNodePaths(HBaseConfiguration.create()));
    }

    /** Returns the session as a server sees it. */
    ZKWatcher watcher() {
        return watcher;
    }

    /** Ends the session; the server learns it when it asks. */
    public void end() {
        ended = true;
    }
}
