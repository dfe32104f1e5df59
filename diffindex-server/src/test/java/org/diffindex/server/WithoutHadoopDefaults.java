package org.diffindex.server;

import java.net.URL;
import java.util.regex.Pattern;

/**
 * Lets the threads of a test make Hadoop configurations without looking for Hadoop's files and parsing them each time,
 * which HBase lets it do for each store that is flushed, and which takes longer than all else. HBase's own are read.
 */
final class WithoutHadoopDefaults extends ClassLoader implements AutoCloseable {
    private static final Pattern FILES = Pattern.compile("(core|hdfs|mapred|yarn)-(default|site)\\.xml");

    private final ClassLoader before;

    private WithoutHadoopDefaults(ClassLoader before) {
        super(before);
        this.before = before;
    }

    /** For this thread and all that it starts, until it is closed. */
    static WithoutHadoopDefaults install() {
        WithoutHadoopDefaults loader =
                new WithoutHadoopDefaults(Thread.currentThread().getContextClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return loader;
    }

    @Override
    public URL getResource(String name) {
        return FILES.matcher(name).matches() ? null : super.getResource(name);
    }

    @Override
    public void close() {
        Thread.currentThread().setContextClassLoader(before);
    }
}
