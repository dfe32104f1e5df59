package org.diffindex.server.sim;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.util.Progressable;

/** The file system of the cluster, in memory. A server may crash before each of its operations. */
final class Disk {
    private static final String ROOT = "sim:///hbase";

    private final Scheduler scheduler;
    private final Map<Path, byte[]> files = new LinkedHashMap<>();

    private final Wiring wiring;

    Disk(Scheduler scheduler, Wiring wiring) {
        this.scheduler = scheduler;
        this.wiring = wiring;
    }

    /** Returns settings that place HBase's root folder on this disk. */
    Configuration configuration(Configuration base) {
        Configuration conf = new OnDisk(base, this);
        conf.set(HConstants.HBASE_DIR, ROOT);
        conf.set("fs.sim.impl", Files.class.getName());
        conf.setBoolean("fs.sim.impl.disable.cache", true);
        return conf;
    }

    List<Path> files() {
        return new ArrayList<>(files.keySet());
    }

    void remove(Path file) {
        files.remove(file);
    }

    private static final class OnDisk extends Configuration {
        private final Disk disk;

        OnDisk(Configuration base, Disk disk) {
            super(base);
            this.disk = disk;
        }
    }

    /** The file system as Hadoop sees it. */
    public static final class Files extends FileSystem {
        private Disk disk;

        @Override
        public void initialize(URI name, Configuration conf) throws IOException {
            super.initialize(name, conf);
            disk = ((OnDisk) conf).disk;
        }

        @Override
        public URI getUri() {
            return URI.create("sim:///");
        }

        @Override
        public FSDataInputStream open(Path path, int bufferSize) throws IOException {
            disk.scheduler.pause("reads " + path.getName().replaceAll("[0-9a-f]{8}-.*", ""));
            byte[] content = disk.files.get(path);
            if (content == null) {
                throw new FileNotFoundException(path.toString());
            }
            return new FSDataInputStream(
                    new Content(content, disk.wiring.removesSpillWhenRead() ? () -> disk.remove(path) : () -> {}));
        }

        @Override
        public FSDataOutputStream create(
                Path path,
                FsPermission permission,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                Progressable progress)
                throws IOException {
            disk.scheduler.pause("creates a file");
            disk.files.put(path, new byte[0]);
            return new FSDataOutputStream(
                    new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            disk.scheduler.pause("writes a file");
                            disk.files.put(path, toByteArray());
                        }
                    },
                    null);
        }

        @Override
        public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean rename(Path from, Path to) {
            disk.scheduler.pause("renames a file");
            byte[] content = disk.files.remove(from);
            return content != null && disk.files.put(to, content) == null;
        }

        @Override
        public boolean delete(Path path, boolean recursive) {
            disk.scheduler.pause("removes a file");
            return disk.files.remove(path) != null;
        }

        @Override
        public FileStatus[] listStatus(Path folder) throws FileNotFoundException {
            disk.scheduler.pause("lists the files");
            FileStatus[] list = disk.files.keySet().stream()
                    .flatMap(path -> childOf(folder, path).stream())
                    .distinct()
                    .map(this::listed)
                    .toArray(FileStatus[]::new);
            if (list.length == 0) {
                throw new FileNotFoundException(folder.toString());
            }
            return list;
        }

        /** Returns the child of a folder that is the file or contains it; empty if the file is not in the folder. */
        private static Optional<Path> childOf(Path folder, Path file) {
            Path child = file;
            while (child.getParent() != null && !child.getParent().equals(folder)) {
                child = child.getParent();
            }
            return child.getParent() == null ? Optional.empty() : Optional.of(child);
        }

        private FileStatus listed(Path path) {
            boolean isFile = disk.files.containsKey(path);
            Path told = new Path(path.getParent(), disk.wiring.listed(path.getName()));
            return new FileStatus(isFile ? disk.files.get(path).length : 0, !isFile, 1, 1, 0, told);
        }

        @Override
        public void setWorkingDirectory(Path path) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getWorkingDirectory() {
            return new Path(ROOT);
        }

        @Override
        public boolean mkdirs(Path path, FsPermission permission) {
            return true;
        }

        @Override
        public FileStatus getFileStatus(Path path) throws FileNotFoundException {
            if (!disk.files.containsKey(path)) {
                throw new FileNotFoundException(path.toString());
            }
            return new FileStatus(disk.files.get(path).length, false, 1, 1, 0, path);
        }
    }

    private static final class Content extends InputStream implements Seekable, PositionedReadable {
        private final ByteArrayInputStream bytes;
        private final Runnable atEnd;

        Content(byte[] content, Runnable atEnd) {
            this.bytes = new ByteArrayInputStream(content);
            this.atEnd = atEnd;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            return bytes.read(buffer, offset, length);
        }

        @Override
        public void close() {
            if (bytes.available() == 0) {
                atEnd.run();
            }
        }

        @Override
        public void seek(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long getPos() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean seekToNewSource(long target) {
            return false;
        }

        @Override
        public int read(long position, byte[] buffer, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void readFully(long position, byte[] buffer, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void readFully(long position, byte[] buffer) {
            throw new UnsupportedOperationException();
        }
    }
}
