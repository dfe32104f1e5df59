package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** The coprocessors of Diff-Index, as table descriptors and hbase-site.xml name them. */
public final class Coprocessors {
    /** The region observer of a base table, which maintains its indexes. */
    public static final String INDEX_OBSERVER = "org.diffindex.server.IndexObserver";

    /** The region observer of an index table, which refuses writes by anything but the index itself. */
    public static final String INDEX_TABLE_GUARD = "org.diffindex.server.IndexTableGuard";

    /**
     * The configuration key for the path of the jar that contains both region observers, on a file system that the
     * region servers can read. Unset if the jar is on the region servers' class path.
     */
    public static final String JAR_KEY = "diffindex.coprocessor.jar";

    /** The coprocessor of the master, which refuses operations that would separate an index from its base table. */
    public static final String INDEX_MASTER_OBSERVER = "org.diffindex.server.IndexMasterObserver";

    /** The coprocessor of a region server, which reports the server's versions and settings. */
    public static final String INDEX_SERVER_ENDPOINT = "org.diffindex.server.IndexServerEndpoint";

    private Coprocessors() {}

    static CoprocessorDescriptor descriptor(String className, Configuration configuration) {
        CoprocessorDescriptorBuilder builder = CoprocessorDescriptorBuilder.newBuilder(className);
        String jar = configuration.getTrimmed(JAR_KEY, "");
        return jar.isEmpty() ? builder.build() : builder.setJarPath(jar).build();
    }

    /** Returns the descriptor with the observer of base tables; the same descriptor if it has it already. */
    static TableDescriptor withObserver(TableDescriptor base, Configuration configuration) throws IOException {
        if (base.hasCoprocessor(INDEX_OBSERVER)) {
            return base;
        }
        return TableDescriptorBuilder.newBuilder(base)
                .setCoprocessor(descriptor(INDEX_OBSERVER, configuration))
                .build();
    }

    /** Returns the descriptor without the observer of base tables. */
    static TableDescriptor withoutObserver(TableDescriptor base) {
        if (!base.hasCoprocessor(INDEX_OBSERVER)) {
            return base;
        }
        return TableDescriptorBuilder.newBuilder(base)
                .removeCoprocessor(INDEX_OBSERVER)
                .build();
    }

    /** Returns whether HBase refused a descriptor because it cannot load one of these classes. */
    static boolean isNotLoaded(IOException refusal) {
        String message = String.valueOf(refusal.getMessage());
        return message.contains("cannot be loaded")
                && (message.contains(INDEX_OBSERVER) || message.contains(INDEX_TABLE_GUARD));
    }

    static DoNotRetryIOException missingJar(IOException refusal) {
        return new DoNotRetryIOException(
                "HBase cannot load the coprocessors of Diff-Index. Put diffindex-server's jar on the class path of the"
                        + " master and the region servers and restart them, or put it on HDFS and set " + JAR_KEY
                        + " to its path in the client's configuration",
                refusal);
    }
}
