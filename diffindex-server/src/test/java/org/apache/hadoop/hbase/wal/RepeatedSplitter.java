package org.apache.hadoop.hbase.wal;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;

/**
 * Splits the WALs of one dead server after the other, as {@link WALSplitter#split} does, with one {@link WALSplitter}:
 * its constructor parses all default settings of Hadoop and HBase, which takes longer than the split of a short WAL. In
 * HBase's package because the constructor is not public. Not thread-safe.
 */
public final class RepeatedSplitter implements Closeable {
    private final Configuration conf;
    private final Path root;
    private final FileSystem files;
    private final WALFactory wals;
    private final WALSplitter splitter;

    /** Creates a splitter for the servers that have their files in HBase's root folder. */
    public RepeatedSplitter(Configuration conf) throws IOException {
        this.conf = conf;
        this.root = new Path(conf.get(HConstants.HBASE_DIR));
        this.files = root.getFileSystem(conf);
        this.wals = new WALFactory(conf, "splitter");
        this.splitter = new WALSplitter(wals, conf, root, files, root, files);
    }

    /**
     * Splits the WALs in a folder, and removes it.
     *
     * @param archive where the WALs are moved
     * @return the files of recovered edits
     */
    public List<Path> split(Path folder, Path archive) throws IOException {
        // The splitter caches facts about regions, which may have been split, merged or flushed since the last call.
        splitter.lastFlushedSequenceIds.clear();
        splitter.regionMaxSeqIdInStores.clear();
        List<Path> recovered = new ArrayList<>();
        for (FileStatus wal : files.listStatus(folder)) {
            WALSplitter.SplitWALResult result = splitter.splitWAL(wal, null);
            if (!result.isFinished()) {
                throw new IOException("The split of a WAL did not finish [file=" + wal.getPath() + "]");
            }
            WALSplitUtil.archive(wal.getPath(), result.isCorrupt(), archive, files, conf);
            recovered.addAll(splitter.outputSink.splits);
        }
        if (!files.delete(folder, true)) {
            throw new IOException("The folder of split WALs was not removed [folder=" + folder + "]");
        }
        return recovered;
    }

    @Override
    public void close() throws IOException {
        wals.close();
    }
}
