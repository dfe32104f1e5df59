package org.diffindex.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.mapreduce.Job;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.mapreduce.BuildJob;
import org.diffindex.model.IndexDefinition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code diffindex build mapreduce}: lets a MapReduce job do what is left of the build of an index. */
@Command(
        name = "mapreduce",
        description = {
            "Let a MapReduce job do what is left of the build of an index, in place of the master, and wait until the index is"
                    + " ACTIVE. The environment's HADOOP_CONF_DIR names the folder of the engine's settings; without it the"
                    + " job runs in this process.",
            "A job that has failed can be started again, or: build resume --master."
        })
final class BuildJobCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Mixin
    private Engine engine;

    @Mixin
    private Progress progress;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            Optional<ColumnsChangeStatus> change = admin.columnsChangeOf(name.table(), name.index());
            IndexDefinition index =
                    change.isPresent() ? change.get().target() : admin.describeIndex(name.table(), name.index());
            Job job = BuildJob.submit(connection, Engine.configuration(cluster), index, engine.maps());
            spec.commandLine()
                    .getOut()
                    .println("Job " + job.getJobID() + " backfills index " + name.index() + " on " + name.table()
                            + "; it runs " + Engine.place(job));
            await(job);
            spec.commandLine()
                    .getOut()
                    .println(
                            change.isPresent()
                                    ? "Index " + name.index() + " on " + name.table()
                                            + " is built with its new columns; let readers go over to them with the same"
                                            + " alter-index and --wait"
                                    : BuildText.active(name, BuildText.await(admin, name, progress, spec)));
        }
        return 0;
    }

    private void await(Job job) throws IOException {
        try {
            if (!job.waitForCompletion(false)) {
                throw new IOException("Job " + job.getJobID() + " has ended as "
                        + job.getStatus().getState() + ": "
                        + job.getStatus().getFailureInfo() + "; what it has backfilled is recorded: start it again, or"
                        + " let the master do the rest with: build resume " + name.table() + " " + name.index()
                        + " --master");
            }
        } catch (ClassNotFoundException e) {
            throw new IOException("Job " + job.getJobID() + " cannot be followed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }
}
