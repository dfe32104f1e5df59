package org.diffindex.cli.console;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cluster.Ports;
import org.diffindex.cluster.SiteFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The HBase cluster that the command line names: {@code --conf}, else {@code HBASE_CONF_DIR}, else the class path. A
 * subcommand includes it as a mixin:
 *
 * <pre>{@code
 * @Mixin
 * private ClusterConnection cluster;
 *
 * public Integer call() throws IOException {
 *     try (Connection connection = cluster.open()) {...}
 * }
 * }</pre>
 */
@Command
public final class ClusterConnection {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * The setting of the registry in which HBase's client finds the cluster; it need not be ZooKeeper, which a client
     * may be unable to reach.
     */
    private static final String REGISTRY = HConstants.CLIENT_CONNECTION_REGISTRY_IMPL_CONF_KEY;

    private static final String REGISTRY_OF_ZOOKEEPER = "org.apache.hadoop.hbase.client.ZKConnectionRegistry";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /**
     * Returns the client's configuration.
     *
     * @throws IOException if the given folder has no {@code hbase-site.xml}
     */
    public Configuration configuration() throws IOException {
        Optional<Path> folder = folder();
        return folder.isPresent() ? SiteFile.readFolder(folder.get()) : HBaseConfiguration.create();
    }

    /**
     * Opens a connection with the client's ordinary timeouts, once a master has answered within a minute.
     *
     * @throws IOException if no cluster answers; its message is for the user
     */
    public Connection open() throws IOException {
        return open(configuration(), TIMEOUT);
    }

    /**
     * Opens a connection like {@link #open()}, with other settings, such as timeouts.
     *
     * @param conf a changed {@link #configuration()}
     * @param patience how long the master may take to answer, if that is more than a minute
     */
    public Connection open(Configuration conf, Duration patience) throws IOException {
        return open(conf, longer(patience, TIMEOUT), "master", connection -> {
            try (Admin admin = connection.getAdmin()) {
                admin.getMaster();
                admin.listNamespaces();
            }
        });
    }

    /**
     * Opens a connection for a command that needs no master, once the server of hbase:meta has answered within a
     * minute.
     *
     * @throws IOException if no cluster answers; its message is for the user
     */
    public Connection openForReading() throws IOException {
        return open(configuration(), TIMEOUT, "server of hbase:meta", connection -> {
            try (Table meta = connection.getTable(TableName.META_TABLE_NAME)) {
                meta.exists(new Get(Bytes.toBytes("0")));
            }
        });
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /** A call that only a running cluster answers. */
    @FunctionalInterface
    private interface Probe {
        void of(Connection connection) throws IOException;
    }

    private Connection open(Configuration conf, Duration timeout, String asked, Probe probe) throws IOException {
        boolean throughZooKeeper = REGISTRY_OF_ZOOKEEPER.equals(conf.get(REGISTRY, REGISTRY_OF_ZOOKEEPER));
        if (throughZooKeeper && !zooKeeperAccepts(conf)) {
            throw down("no ZooKeeper accepts connections at " + quorum(conf), null);
        }
        String entrance = throughZooKeeper
                ? "ZooKeeper at " + quorum(conf) + " accepts connections, but"
                : "the client asks " + conf.get(REGISTRY) + " for the cluster, and";
        FutureTask<Connection> opening = new FutureTask<>(() -> connect(conf, probe));
        Thread thread = new Thread(opening, "connect");
        thread.setDaemon(true);
        thread.start();
        try {
            return opening.get(timeout.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            String refused = Credentials.areRequired(conf) ? ", or none admits this user, as klist may tell" : "";
            throw down(entrance + " no " + asked + " answered within " + timeout.toSeconds() + " s" + refused, e);
        } catch (ExecutionException e) {
            if (Credentials.areRefused(e.getCause())) {
                throw new IOException(
                        "The cluster does not admit this user: " + Failures.message(e.getCause()) + " (" + source()
                                + "); nothing was read or changed; " + Credentials.advice(conf),
                        e);
            }
            throw down(entrance + " no " + asked + " answers (" + e.getCause().getMessage() + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw down("interrupted while connecting", e);
        }
    }

    /** Returns the folder that the command line or the environment names. */
    public Optional<Path> folder() {
        return GlobalOptions.of(command).conf().or(() -> Optional.ofNullable(System.getenv("HBASE_CONF_DIR"))
                .filter(dir -> !dir.isBlank())
                .map(Path::of));
    }

    /** Returns where the cluster's configuration is from. */
    private String source() {
        return folder().map(dir -> "from " + dir.resolve("hbase-site.xml"))
                .orElse("HBase's default, because neither --conf nor HBASE_CONF_DIR is given");
    }

    private IOException down(String what, Exception cause) {
        return new IOException(
                "The cluster is down: " + what + " (" + source()
                        + "); nothing was read or changed; start the cluster, or name another with --conf",
                cause);
    }

    private static Connection connect(Configuration conf, Probe probe) throws IOException {
        Connection connection = ConnectionFactory.createConnection(conf);
        try {
            Credentials.require(conf);
            probe.of(connection);
            return connection;
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static String quorum(Configuration conf) {
        return conf.get("hbase.zookeeper.quorum", "127.0.0.1") + ":" + zooKeeperPort(conf);
    }

    private static int zooKeeperPort(Configuration conf) {
        return conf.getInt("hbase.zookeeper.property.clientPort", 2181);
    }

    private static boolean zooKeeperAccepts(Configuration conf) {
        for (String server : conf.getTrimmedStrings("hbase.zookeeper.quorum", "127.0.0.1")) {
            int colon = server.lastIndexOf(':');
            String host = colon < 0 ? server : server.substring(0, colon);
            int port = colon < 0 ? zooKeeperPort(conf) : Integer.parseInt(server.substring(colon + 1));
            if (Ports.accepts(new InetSocketAddress(host, port))) {
                return true;
            }
        }
        return false;
    }
}
