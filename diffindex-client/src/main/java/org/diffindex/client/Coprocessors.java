package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** The coprocessors that keep indexes, as they are named in table descriptors. */
public final class Coprocessors {
    /** The region observer of a base table. */
    public static final String INDEX_OBSERVER = "org.diffindex.server.IndexObserver";

    /** The region observer of an index table, which refuses writes by strangers. */
    public static final String INDEX_TABLE_GUARD = "org.diffindex.server.IndexTableGuard";

    /**
     * The configuration key for the path, on a file system that the region servers reach, of the jar that holds both;
     * unset when the jar is on the region servers' class path.
     */
    public static final String JAR_KEY = "diffindex.coprocessor.jar";

    /** The coprocessor of the master, which refuses what would part an index from its base. */
    public static final String INDEX_MASTER_OBSERVER = "org.diffindex.server.IndexMasterObserver";

    /** The coprocessor of a region server, which tells what the server runs and is set to. */
    public static final String INDEX_SERVER_ENDPOINT = "org.diffindex.server.IndexServerEndpoint";

    private Coprocessors() {}

    static CoprocessorDescriptor descriptor(String className, Configuration configuration) {
        CoprocessorDescriptorBuilder builder = CoprocessorDescriptorBuilder.newBuilder(className);
        String jar = configuration.getTrimmed(JAR_KEY, "");
        return jar.isEmpty() ? builder.build() : builder.setJarPath(jar).build();
    }

    /** The descriptor with the observer of base tables, as it is if it has it already. */
    static TableDescriptor withObserver(TableDescriptor base, Configuration configuration) throws IOException {
        if (base.hasCoprocessor(INDEX_OBSERVER)) {
            return base;
        }
        return TableDescriptorBuilder.newBuilder(base)
                .setCoprocessor(descriptor(INDEX_OBSERVER, configuration))
                .build();
    }

    /** The descriptor without the observer of base tables. */
    static TableDescriptor withoutObserver(TableDescriptor base) {
        if (!base.hasCoprocessor(INDEX_OBSERVER)) {
            return base;
        }
        return TableDescriptorBuilder.newBuilder(base)
                .removeCoprocessor(INDEX_OBSERVER)
                .build();
    }

    /** Whether HBase refused a descriptor since it does not find a class of ours. */
    static boolean isNotLoaded(IOException refusal) {
        String message = String.valueOf(refusal.getMessage());
        return message.contains("cannot be loaded")
                && (message.contains(INDEX_OBSERVER) || message.contains(INDEX_TABLE_GUARD));
    }

    static DoNotRetryIOException missingJar(IOException refusal) {
        return new DoNotRetryIOException(
                "HBase does not find the coprocessors of Diff-Index. Put diffindex-server's jar on the class path of the"
                        + " master and the region servers and restart them, or put it on HDFS and set " + JAR_KEY
                        + " to its path in the client's configuration",
                refusal);
    }
}
