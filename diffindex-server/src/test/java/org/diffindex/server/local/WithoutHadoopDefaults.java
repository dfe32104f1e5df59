package org.diffindex.server.local;

import java.net.URL;
import java.util.regex.Pattern;

/**
 * A context class loader that hides Hadoop's configuration files from the threads of a test. HBase makes Hadoop look
 * for them and parse them for each store that is flushed, which takes longer than everything else. HBase's own files
 * are read.
 */
public final class WithoutHadoopDefaults extends ClassLoader implements AutoCloseable {
    private static final Pattern HADOOP = Pattern.compile("(core|hdfs|mapred|yarn)-(default|site)\\.xml");

    private final ClassLoader before;

    private WithoutHadoopDefaults(ClassLoader before) {
        super(before);
        this.before = before;
    }

    /** Applies to this thread and all that it starts, until it is closed. */
    public static WithoutHadoopDefaults install() {
        WithoutHadoopDefaults loader =
                new WithoutHadoopDefaults(Thread.currentThread().getContextClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return loader;
    }

    @Override
    public URL getResource(String name) {
        return HADOOP.matcher(name).matches() ? null : super.getResource(name);
    }

    @Override
    public void close() {
        Thread.currentThread().setContextClassLoader(before);
    }
}
