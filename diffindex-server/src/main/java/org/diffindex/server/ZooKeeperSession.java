package org.diffindex.server;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/**
 * A region server's own session with ZooKeeper, the one that its ephemeral node lives by. It is asked by a {@code sync},
 * which goes to ZooKeeper's leader, and which the leader answers only to a session that has not ended.
 */
final class ZooKeeperSession implements SessionLease.Session {
    private final ZKWatcher watcher;

    ZooKeeperSession(ZKWatcher watcher) {
        this.watcher = watcher;
    }

    @Override
    public Duration timeout() {
        ZooKeeper client = watcher.getRecoverableZooKeeper().getZooKeeper();
        return client == null ? Duration.ZERO : Duration.ofMillis(client.getSessionTimeout());
    }

    @Override
    public void ask(Runnable goesOn) throws IOException {
        try {
            watcher.getRecoverableZooKeeper()
                    .sync(
                            watcher.getZNodePaths().baseZNode,
                            (code, path, context) -> {
                                if (code == KeeperException.Code.OK.intValue()) {
                                    goesOn.run();
                                }
                            },
                            null);
        } catch (KeeperException e) {
            throw new IOException("No connection to ZooKeeper", e);
        }
    }
}
