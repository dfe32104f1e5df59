package org.diffindex.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.mapreduce.Job;
import org.diffindex.cli.console.ClusterConnection;
import picocli.CommandLine.Option;

/** The options of commands that run MapReduce jobs, and where the jobs run. */
final class Engine {
    private static final List<String> DEFAULTS = List.of("mapred-default.xml", "yarn-default.xml");
    private static final List<String> SITES =
            List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml");

    /** The setting that names who renews a job's tokens. */
    private static final String RENEWER = "yarn.resourcemanager.principal";

    @Option(
            names = "--maps",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "How many mappers run at a time, each of which occupies one handler of a region server; default:"
                            + " ${DEFAULT-VALUE}.")
    private int maps;

    int maps() {
        return Math.max(1, maps);
    }

    /**
     * Returns the configuration of the cluster and of the engine: the site files of Hadoop in the folder that the environment's
     * HADOOP_CONF_DIR names. Without it jobs run in this process, and keep their files on this host: the user need not have a
     * folder on HDFS, nor Hadoop know who renews tokens for HDFS, for which it asks on a cluster with Kerberos.
     */
    static Configuration configuration(ClusterConnection cluster) throws IOException {
        return configuration(cluster.configuration(), System.getenv("HADOOP_CONF_DIR"));
    }

    static Configuration configuration(Configuration cluster, String hadoop) throws IOException {
        Configuration conf = new Configuration(cluster);
        DEFAULTS.forEach(conf::addResource);
        if (hadoop == null || hadoop.isBlank()) {
            conf.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, "file:///");
            conf.setIfUnset(RENEWER, "nobody"); // of no token, but Hadoop requires a name
        } else {
            Path folder = Path.of(hadoop);
            if (!Files.isReadable(folder.resolve("mapred-site.xml"))) {
                throw new IOException("No mapred-site.xml in " + folder.toAbsolutePath()
                        + "; nothing was changed; HADOOP_CONF_DIR is to name the folder of the engine's settings");
            }
            for (String name : SITES) {
                Path file = folder.resolve(name);
                if (Files.isReadable(file)) {
                    conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
                }
            }
        }
        return conf;
    }

    /** Returns where a job runs, for a message. */
    static String place(Job job) {
        String engine = job.getConfiguration().get("mapreduce.framework.name", "local");
        return engine.equals("local")
                ? "in this process, because HADOOP_CONF_DIR names no engine"
                : "on " + engine + ", whether or not this command waits";
    }
}
