package org.diffindex.server;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/**
 * A region server's own ZooKeeper session, to which its ephemeral node belongs. Asks by a {@code sync}, which is
 * forwarded to ZooKeeper's leader; the leader answers only if the session has not ended.
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
