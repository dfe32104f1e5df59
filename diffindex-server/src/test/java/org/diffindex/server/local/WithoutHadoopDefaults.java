package org.diffindex.server.local;

import java.net.URL;
import java.util.regex.Pattern;

/**
 * A context class loader that hides Hadoop's configuration files from the threads of a test. HBase makes Hadoop look
 * for them and parse them for each store that is flushed, which takes longer than everything else. HBase's own files
 * are read, unless all its settings are overwritten anyway.
 */
public final class WithoutHadoopDefaults extends ClassLoader implements AutoCloseable {
    private static final Pattern HADOOP = Pattern.compile("(core|hdfs|mapred|yarn)-(default|site)\\.xml");

    private final ClassLoader before;
    private final boolean withHBase;

    private WithoutHadoopDefaults(ClassLoader before, boolean withHBase) {
        super(before);
        this.before = before;
        this.withHBase = withHBase;
    }

    /** Applies to this thread and all that it starts, until it is closed. */
    public static WithoutHadoopDefaults install() {
        return install(true);
    }

    /**
     * Like {@link #install}, for code that copies a whole configuration over HBase's defaults, so that these need not
     * be read.
     */
    public static WithoutHadoopDefaults installWithoutHBaseDefaults() {
        return install(false);
    }

    private static WithoutHadoopDefaults install(boolean withHBase) {
        WithoutHadoopDefaults loader =
                new WithoutHadoopDefaults(Thread.currentThread().getContextClassLoader(), withHBase);
        Thread.currentThread().setContextClassLoader(loader);
        return loader;
    }

    @Override
    public URL getResource(String name) {
        if (HADOOP.matcher(name).matches() || (!withHBase && name.equals("hbase-site.xml"))) {
            return null;
        }
        return !withHBase && name.equals("hbase-default.xml")
                ? WithoutHadoopDefaults.class.getResource("no-defaults.xml")
                : super.getResource(name);
    }

    @Override
    public void close() {
        Thread.currentThread().setContextClassLoader(before);
    }
}
