package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The files of a local cluster, below its folder:
 *
 * <pre>
 * cluster.properties     the processes and ports ({@link ClusterDescriptor})
 * conf/                  hbase-site.xml, core-site.xml, hdfs-site.xml; krb5.conf, if the cluster requires Kerberos
 * pids/NAME.pid          one file for each process that was started and not stopped since, beside its lock
 * logs/NAME.log          the output of the process
 * data/                  the data of ZooKeeper, the NameNode and the DataNodes
 * tmp/                   the working folder of the processes
 * lib/                   copies of this build's classes ({@link InstalledClasses})
 * classpath/             comes before other classes on the class path of the processes
 * </pre>
 */
public final class ClusterLayout {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path dir;

    /** Creates the layout below a folder, which need not exist. */
    public ClusterLayout(Path dir) {
        this.dir = dir.toAbsolutePath().normalize();
    }

    /** Returns the absolute path of the cluster's folder. */
    public Path dir() {
        return dir;
    }

    /** Returns the file that describes the cluster's processes. */
    public Path descriptor() {
        return dir.resolve("cluster.properties");
    }

    /** Returns the folder for a client's {@code HBASE_CONF_DIR}. */
    public Path conf() {
        return dir.resolve("conf");
    }

    /** Returns the configuration file with which any HBase client connects. */
    public Path hbaseSite() {
        return conf().resolve("hbase-site.xml");
    }

    Path coreSite() {
        return conf().resolve("core-site.xml");
    }

    Path hdfsSite() {
        return conf().resolve("hdfs-site.xml");
    }

    /** Returns the configuration of Kerberos, which only a cluster has that requires it. */
    public Path krb5Conf() {
        return conf().resolve("krb5.conf");
    }

    Path pid(String process) {
        return dir.resolve("pids").resolve(process + ".pid");
    }

    /** Returns the output of a process, of all its starts. */
    public Path log(String process) {
        return dir.resolve("logs").resolve(process + ".log");
    }

    /** Returns the file that is locked while the cluster, or one process, is being started. */
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

    /** Returns the folder for a process's local copies of coprocessor jars. */
    Path local(String process) {
        return tmp().resolve("local").resolve(process);
    }

    Path classPath() {
        return dir.resolve("classpath");
    }

    /**
     * Creates the folders. Existing folders stay as they are; a new one is accessible to its owner only, because it
     * contains the cluster's data and logs.
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
                // Hadoop's web server does not start without the folder of its pages, which no artifact contains.
                classPath().resolve("webapps").resolve("hdfs"),
                classPath().resolve("webapps").resolve("datanode"))) {
            Files.createDirectories(folder);
        }
    }
}
