package org.diffindex.mapreduce;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.ShutdownHookManager;
import org.diffindex.tasks.Messages;

/**
 * A job that nobody needs but the caller who waits for it. It is killed if that thread is interrupted, if its state cannot be
 * asked any more, or when this process is told to end; not if this process is killed. Used by one thread, once.
 */
final class AttendedJob {
    /** Hadoop runs hooks of a higher priority first, and closes its file systems by one of this. */
    private static final int BEFORE_FILE_SYSTEMS_CLOSE = FileSystem.SHUTDOWN_HOOK_PRIORITY + 10;

    private static final Duration HOOK_TIMEOUT = Duration.ofSeconds(30);

    /** How long to wait until a job that was killed has ended: its tasks write into its folder until then. */
    private static final Duration ENDING = Duration.ofSeconds(10);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private final Job job;
    private final Closeable remains;
    private final Runnable hook = this::end;

    /**
     * Creates a job that is not submitted yet.
     *
     * @param remains what to close when this process is told to end, after the job was killed
     */
    AttendedJob(Job job, Closeable remains) {
        this.job = job;
        this.remains = remains;
    }

    /**
     * Submits the job, and returns when it has succeeded.
     *
     * @throws IOException if it could not be submitted, has failed, or was killed because its state is not known
     * @throws InterruptedException if the thread was interrupted; the job was killed, unless the message says otherwise
     */
    void run() throws IOException, InterruptedException {
        ShutdownHookManager hooks = ShutdownHookManager.get();
        hooks.addShutdownHook(hook, BEFORE_FILE_SYSTEMS_CLOSE, HOOK_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        try {
            if (!job.waitForCompletion(false)) {
                throw new JobFailedException(
                        "The job " + job.getJobID() + " has failed: " + job.getStatus().getFailureInfo()
                                + "; repairs made before are complete");
            }
        } catch (ClassNotFoundException e) {
            throw new IOException("The job could not be submitted: " + Messages.of(e), e);
        } catch (JobFailedException e) {
            throw e;
        } catch (InterruptedException e) {
            throw (InterruptedException) new InterruptedException("Interrupted; " + kill()).initCause(e);
        } catch (IOException e) {
            if (Thread.interrupted()) { // Hadoop's calls report an interruption in several ways
                throw (InterruptedException) new InterruptedException("Interrupted; " + kill()).initCause(e);
            }
            throw new IOException(Messages.of(e) + "; " + kill(), e);
        } finally {
            if (!hooks.isShutdownInProgress()) {
                hooks.removeShutdownHook(hook);
            }
        }
    }

    /** The outcome of a job that has ended by itself. */
    private static final class JobFailedException extends IOException {
        private static final long serialVersionUID = 1L;

        JobFailedException(String message) {
            super(message);
        }
    }

    /** Returns what is run when this process is told to end. */
    Runnable hook() {
        return hook;
    }

    private void end() {
        String unused = kill();
        try {
            remains.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Hadoop logs it
        }
    }

    /** Kills the job; returns what is true then, as the end of a message. */
    private String kill() {
        try {
            job.killJob();
            return "the job " + job.getJobID() + (hasEnded() ? " was killed" : " is being killed")
                    + "; repairs made before are complete";
        } catch (IllegalStateException e) { // thrown for a job that the engine has not accepted
            return "no job was started";
        } catch (IOException e) {
            return "the job " + job.getJobID() + " could not be killed, and may go on: " + Messages.of(e)
                    + "; kill it by: mapred job -kill " + job.getJobID();
        }
    }

    private boolean hasEnded() throws IOException {
        long begin = System.nanoTime();
        try {
            while (!job.isComplete()) {
                if (System.nanoTime() - begin > ENDING.toNanos()) {
                    return false;
                }
                TimeUnit.NANOSECONDS.sleep(BETWEEN_LOOKS.toNanos());
            }
            return true;
        } catch (InterruptedException e) {
            return false; // the caller is told of an interruption, and waits no longer
        }
    }
}
