package org.diffindex.mapreduce;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;

/**
 * The folder into which the mappers of a scrub write their reports, with keys of rows that differ: in the user's home on the
 * engine's file system, for that user alone, and deleted when it is closed.
 */
final class ScrubFolder implements Closeable {
    private static final short OWNER_ONLY = 0700;

    private final FileSystem files;
    private final Path folder;
    private final Path output;

    private ScrubFolder(FileSystem files, Path folder) {
        this.files = files;
        this.folder = folder;
        this.output = new Path(folder, "reports"); // a job refuses to write into a folder that is there
    }

    static ScrubFolder create(Configuration conf) throws IOException {
        FileSystem files = FileSystem.get(conf);
        Path folder = new Path(
                files.getHomeDirectory(), ".diffindex-scrub-" + Long.toHexString(new SecureRandom().nextLong()));
        if (!FileSystem.mkdirs(files, folder, new FsPermission(OWNER_ONLY))) {
            throw new IOException("The folder " + folder + " for the reports of the job could not be created; nothing was"
                    + " compared");
        }
        return new ScrubFolder(files, folder);
    }

    /** Returns where a job is to write. */
    Path output() {
        return output;
    }

    /** Adds the reports of a job that has ended; returns how many there are. Reads them if the engine has compressed them. */
    int read(PartReports reports) throws IOException {
        CompressionCodecFactory codecs = new CompressionCodecFactory(files.getConf());
        int read = 0;
        for (FileStatus file : files.listStatus(output, path -> path.getName().startsWith("part-"))) {
            try (InputStream stored = files.open(file.getPath());
                    BufferedReader lines = new BufferedReader(new InputStreamReader(
                            plain(stored, codecs.getCodec(file.getPath())), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    reports.add(line);
                    read++;
                }
            } catch (JsonParseException e) {
                throw new IOException(
                        "The report " + file.getPath() + " of a mapper cannot be read: " + e.getMessage()
                                + "; repairs made before are complete; scrub without --mapreduce, or set"
                                + " mapreduce.output.fileoutputformat.compress to false in the engine's settings",
                        e);
            }
        }
        return read;
    }

    private static InputStream plain(InputStream stored, CompressionCodec codec) throws IOException {
        return codec == null ? stored : codec.createInputStream(stored);
    }

    /** Deletes the folder; of no effect if it is deleted. */
    @Override
    public void close() throws IOException {
        files.delete(folder, true);
    }
}
