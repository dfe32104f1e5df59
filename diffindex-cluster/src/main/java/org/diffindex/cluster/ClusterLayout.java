package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Where the files of a local cluster are, below its folder:
 *
 * <pre>
 * cluster.properties     what the cluster consists of, and its ports ({@link ClusterDescriptor})
 * conf/                  hbase-site.xml, core-site.xml, hdfs-site.xml
 * pids/NAME.pid          one file for each process that was started and not yet stopped, beside its lock
 * logs/NAME.log          what the process said
 * data/                  of ZooKeeper, the NameNode and the DataNodes
 * tmp/                   working folder of the processes
 * classpath/             comes first on the class path of the processes
 * </pre>
 */
public final class ClusterLayout {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path dir;

    /** The layout below a folder, which need not exist. */
    public ClusterLayout(Path dir) {
        this.dir = dir.toAbsolutePath().normalize();
    }

    /** The cluster's folder, absolute. */
    public Path dir() {
        return dir;
    }

    /** The file that says what the cluster consists of. */
    public Path descriptor() {
        return dir.resolve("cluster.properties");
    }

    /** The folder for a client's {@code HBASE_CONF_DIR}. */
    public Path conf() {
        return dir.resolve("conf");
    }

    /** The file with which any HBase client connects. */
    public Path hbaseSite() {
        return conf().resolve("hbase-site.xml");
    }

    Path coreSite() {
        return conf().resolve("core-site.xml");
    }

    Path hdfsSite() {
        return conf().resolve("hdfs-site.xml");
    }

    Path pid(String process) {
        return dir.resolve("pids").resolve(process + ".pid");
    }

    /** What a process wrote to its output, of all its lives. */
    public Path log(String process) {
        return dir.resolve("logs").resolve(process + ".log");
    }

    /** The file that is locked while the cluster, or one process, is being started. */
    Path lock(String name) {
        return dir.resolve("pids").resolve(name + ".lock");
    }

    Path zookeeperData() {
        return dir.resolve("data").resolve("zookeeper");
    }

    Path nameNodeData() {
        return dir.resolve("data").resolve("namenode");
    }

    Path dataNodeData(String process) {
        return dir.resolve("data").resolve(process);
    }

    Path tmp() {
        return dir.resolve("tmp");
    }

    /** Where a process keeps local copies of the jars that its coprocessors come from. */
    Path local(String process) {
        return tmp().resolve("local").resolve(process);
    }

    Path classPath() {
        return dir.resolve("classpath");
    }

    /**
     * Makes the folders. Those that exist stay as they are; a new one is for its owner alone, since what the cluster holds and
     * logs is nobody else's.
     */
    void createFolders() throws IOException {
        if (!Files.exists(dir)) {
            Files.createDirectories(dir.toAbsolutePath().getParent());
            Files.createDirectory(dir, OWNER_ONLY);
        }
        for (Path folder : List.of(
                conf(),
                dir.resolve("pids"),
                dir.resolve("logs"),
                zookeeperData(),
                nameNodeData(),
                tmp(),
                // Hadoop's web server does not start without the folder of its pages, which no artifact brings.
                classPath().resolve("webapps").resolve("hdfs"),
                classPath().resolve("webapps").resolve("datanode"))) {
            Files.createDirectories(folder);
        }
    }
}
