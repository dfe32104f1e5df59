package org.diffindex.mapreduce;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.SecureRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.mapreduce.Job;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.Messages;

/**
 * A MapReduce job that backfills an index which is BUILDING, in place of the master. When it has succeeded, the master makes
 * the index ACTIVE.
 *
 * <pre>{@code
 * admin.beginIndex(definition, BuildOptions.DEFAULT.paused());
 * Job job = BuildJob.submit(connection, conf, admin.describeIndex(table, name), 16);
 * if (job.waitForCompletion(true)) {
 *     admin.awaitIndex(table, name, BuildListener.NONE);
 * }
 * }</pre>
 *
 * <p>A job that has failed keeps the build to itself. It can be submitted again, and does what is left; or {@link
 * org.diffindex.client.BuildAdmin#resumeOnMaster} lets the master do that.
 */
public final class BuildJob {
    /** The configuration key for the number of rows that one call reads; 10,000 by default. */
    public static final String ROWS_KEY = "diffindex.build.rows";

    private static final int DEFAULT_ROWS = 10_000;
    private static final String NAME = "diffindex.mapreduce.job";
    private static final String CHANGES = "diffindex.mapreduce.changes";

    private BuildJob() {}

    /**
     * Submits a job, which takes the build over when the engine starts it, and runs whatever becomes of this process. Until then
     * the master builds, or stands still if the build is paused, or an earlier job builds.
     *
     * @param conf of the cluster and of the engine
     * @param maps how many mappers run at a time, and so how many calls
     * @return the job, to wait for; it fails at its start if the index is not BUILDING any more, or if the build has passed to
     *     another job, or back to the master, since this call
     * @throws DoNotRetryIOException if the index is not BUILDING, or the job could not be submitted; nothing was changed
     */
    public static Job submit(Connection connection, Configuration conf, IndexDefinition index, int maps)
            throws IOException {
        IndexOfJob named = IndexOfJob.of(index);
        String name = User.getCurrent().getShortName() + "-" + Long.toHexString(new SecureRandom().nextLong());
        long changes = BuildService.of(connection, named, name).look().getChanges();
        try {
            Job job = Jobs.create(
                    conf,
                    "diffindex build " + index.table() + " " + index.name() + " " + name,
                    named,
                    maps,
                    GapInput.class,
                    BackfillMapper.class,
                    HandOver.class);
            job.getConfiguration().set(NAME, name);
            job.getConfiguration().setLong(CHANGES, changes);
            job.submit();
            return job;
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            throw new DoNotRetryIOException(
                    "The job for the " + named + " could not be submitted: " + Messages.of(e)
                            + "; whoever built the index before goes on",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    /** Returns the name by which the job of a configuration claims a build. */
    static String nameIn(Configuration conf) {
        return conf.get(NAME);
    }

    /** Returns how often the build had changed hands when the job of a configuration was submitted. */
    static long changesIn(Configuration conf) {
        return conf.getLong(CHANGES, 0);
    }

    static int mappersIn(Configuration conf) {
        return Jobs.mapsIn(conf);
    }

    static int rowsOfAPageIn(Configuration conf) {
        return conf.getInt(ROWS_KEY, DEFAULT_ROWS);
    }
}
