package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * A scan by HBase's asynchronous client, as a scanner that does not block: if the next row has not arrived, {@link #next}
 * throws an {@link AwaitedAnswer}. It holds the rows of one answer, and asks for the next answer only when they have been
 * taken, as HBase's blocking client does; so no more regions are opened ahead of the rows than there. While it waits,
 * HBase's client keeps the server's scanner alive.
 *
 * <p>One thread at a time takes rows; HBase's client brings them on threads of its own.
 */
final class AwaitedScanner implements ResultScanner, AdvancedScanResultConsumer {
    private final AwaitedLookUps lookUps;

    /** How many rows the scan will bring at most. */
    private final long limit;

    /** The rows that were brought and not taken. Guarded by this, like all that follows. */
    private final Deque<Result> rows = new ArrayDeque<>();

    /** How many rows were brought. */
    private long brought;

    /** Lets the scan go on behind the rows that were brought; null if it is not to be stopped, or goes on. */
    private ScanResumer stopped;

    /** Completed when something has been brought. */
    private CompletableFuture<Void> news = new CompletableFuture<>();

    private Throwable failure;
    private boolean isOver;
    private boolean isClosed;
    private ScanMetrics metrics;

    /**
     * Creates the consumer of a scan, which the caller starts.
     *
     * @param lookUps are forgotten with each row: the step that has made them is over
     */
    AwaitedScanner(Scan scan, AwaitedLookUps lookUps) {
        this.lookUps = lookUps;
        this.limit = scan.getLimit() > 0 ? scan.getLimit() : Long.MAX_VALUE;
    }

    @Override
    public void onNext(Result[] results, ScanController controller) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            if (isClosed) {
                controller.terminate();
                return;
            }
            rows.addAll(List.of(results));
            brought += results.length;
            if (brought < limit) { // else the scan ends by itself, and the server has closed its scanner
                stopped = controller.suspend();
            }
            awaited = news;
        }
        awaited.complete(null);
    }

    @Override
    public synchronized void onHeartbeat(ScanController controller) {
        if (isClosed) {
            controller.terminate();
        }
    }

    @Override
    public void onError(Throwable error) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            failure = error;
            awaited = news;
        }
        awaited.complete(null);
    }

    @Override
    public void onComplete() {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            isOver = true;
            awaited = news;
        }
        awaited.complete(null);
    }

    @Override
    public synchronized void onScanMetricsCreated(ScanMetrics scanMetrics) {
        metrics = scanMetrics;
    }

    /**
     * Returns the next row; null at the end.
     *
     * @throws AwaitedAnswer if it has not been brought yet
     */
    @Override
    public Result next() throws IOException {
        resumeIfEmpty();
        Result row = brought();
        lookUps.forget();
        return row;
    }

    /** Lets the scan go on if all rows have been taken. It may bring the end at once, on this thread. */
    private void resumeIfEmpty() {
        ScanResumer resumer;
        synchronized (this) {
            if (stopped == null || !rows.isEmpty()) {
                return;
            }
            resumer = stopped;
            stopped = null;
        }
        resumer.resume();
    }

    private synchronized Result brought() throws IOException {
        if (!rows.isEmpty()) {
            return rows.poll();
        }
        if (failure != null) {
            throw AwaitedAnswer.failure(failure);
        }
        if (isOver) {
            return null;
        }
        if (news.isDone()) {
            news = new CompletableFuture<>();
        }
        throw new AwaitedAnswer(news);
    }

    /**
     * Ends the scan. HBase's client offers no end to a scan that is stopped: it goes on, and ends at the next answer, when its
     * server's scanner is closed.
     */
    @Override
    public void close() {
        ScanResumer resumer;
        synchronized (this) {
            isClosed = true;
            rows.clear();
            resumer = stopped;
            stopped = null;
        }
        if (resumer != null) {
            resumer.resume();
        }
    }

    /** Returns false: HBase's client renews the lease of a scan that is stopped by itself. */
    @Override
    public boolean renewLease() {
        return false;
    }

    /** Returns the metrics of the scan, null if it counts none; they are complete at its end. */
    @Override
    public synchronized ScanMetrics getScanMetrics() {
        return metrics;
    }
}
