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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger LOG = LoggerFactory.getLogger(BuildJob.class);

    private BuildJob() {}

    /**
     * Claims the build of an index for a job, and submits the job; it runs whatever becomes of this process.
     *
     * @param conf of the cluster and of the engine
     * @param maps how many mappers run at a time, and so how many calls
     * @return the job, to wait for
     * @throws DoNotRetryIOException if the index is not BUILDING, or the job could not be submitted; then the master builds,
     *     also if another job did before
     */
    public static Job submit(Connection connection, Configuration conf, IndexDefinition index, int maps)
            throws IOException {
        IndexOfJob named = IndexOfJob.of(index);
        String name = User.getCurrent().getShortName() + "-" + Long.toHexString(new SecureRandom().nextLong());
        BuildService service = BuildService.of(connection, named, name);
        boolean wasPaused = service.look().getPaused();
        service.begin();
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
            job.submit();
            return job;
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            abandon(service, wasPaused, e);
            throw new DoNotRetryIOException(
                    "The job for the " + named + " could not be submitted: " + Messages.of(e)
                            + "; no job builds it now, and the master does unless the build is paused",
                    e);
        } catch (InterruptedException e) {
            abandon(service, wasPaused, e);
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    private static void abandon(BuildService service, boolean wasPaused, Exception failure) {
        try {
            service.abandon(wasPaused);
        } catch (IOException e) {
            LOG.warn("The claim of a job that was not submitted stays: build resume --master", e);
            failure.addSuppressed(e);
        }
    }

    /** Returns the name by which the job of a configuration claims a build. */
    static String nameIn(Configuration conf) {
        return conf.get(NAME);
    }

    static int mappersIn(Configuration conf) {
        return Jobs.mapsIn(conf);
    }

    static int rowsOfAPageIn(Configuration conf) {
        return conf.getInt(ROWS_KEY, DEFAULT_ROWS);
    }
}
