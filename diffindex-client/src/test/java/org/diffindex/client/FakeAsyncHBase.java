package org.diffindex.client;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * HBase's asynchronous client of the tables of a {@link FakeHBase}. Each answer is a task of an executor, so that a test decides
 * when it arrives. Failures are wrapped, as HBase's client wraps those of a call that it has begun.
 */
final class FakeAsyncHBase {
    final AsyncConnection connection = mock(AsyncConnection.class);

    /** How many scans have ended, of their own or because their consumers ended them. */
    int endedScans;

    /** How many answers scans have had. */
    int answersOfScans;

    private final FakeHBase hbase;
    private final Executor answers;

    FakeAsyncHBase(FakeHBase hbase, Executor answers) {
        this.hbase = hbase;
        this.answers = answers;
        when(connection.getTable(any(TableName.class))).thenAnswer(call -> table(call.getArgument(0)));
    }

    @SuppressWarnings("unchecked") // of a mock
    private AsyncTable<AdvancedScanResultConsumer> table(TableName name) throws IOException {
        Table blocking = hbase.connection.getTable(name);
        AsyncTable<AdvancedScanResultConsumer> table = mock(AsyncTable.class);
        when(table.getName()).thenReturn(name);
        when(table.get(any(Get.class))).thenAnswer(call -> answer(() -> blocking.get(call.<Get>getArgument(0))));
        when(table.getAll(anyList()))
                .thenAnswer(call -> answer(() -> Arrays.asList(blocking.get(call.<List<Get>>getArgument(0)))));
        doAnswer(call -> {
                    FakeScan scan = new FakeScan(blocking, call.getArgument(0), call.getArgument(1));
                    answers.execute(scan::load);
                    return null;
                })
                .when(table)
                .scan(any(Scan.class), any());
        return table;
    }

    private <T> CompletableFuture<T> answer(Callable<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        answers.execute(() -> {
            try {
                answer.complete(call.call());
            } catch (Exception e) {
                answer.completeExceptionally(wrapped(e));
            }
        });
        return answer;
    }

    private static IOException wrapped(Exception failure) {
        return new RetriesExhaustedException(
                0,
                List.of(new RetriesExhaustedException.ThrowableWithExtraContext(
                        failure, EnvironmentEdgeManager.currentTime(), "")));
    }

    /** A scan that goes on after each answer, unless its consumer stops or ends it. */
    private final class FakeScan {
        private final Table table;
        private final Scan scan;
        private final AdvancedScanResultConsumer consumer;
        private ResultScanner scanner;
        private int left;

        FakeScan(Table table, Scan scan, AdvancedScanResultConsumer consumer) {
            this.table = table;
            this.scan = scan;
            this.consumer = consumer;
            this.left = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
        }

        void load() {
            answersOfScans++;
            try {
                if (scanner == null) {
                    scanner = table.getScanner(scan);
                    Optional.ofNullable(scanner.getScanMetrics()).ifPresent(consumer::onScanMetricsCreated);
                }
                int rows = Math.min(left, Math.min(scan.getCaching(), hbase.mostRowsOfALoad));
                bring(rows == 0 ? new Result[0] : scanner.next(rows));
            } catch (IOException e) {
                endedScans++;
                consumer.onError(wrapped(e));
            }
        }

        private void bring(Result[] rows) {
            left -= rows.length;
            Controller controller = new Controller();
            if (rows.length > 0) {
                consumer.onNext(rows, controller);
            }
            if (controller.isTerminated || rows.length == 0 || left == 0) {
                controller.isSuspended = false;
                end();
            } else if (!controller.isSuspended) {
                answers.execute(this::load);
            }
        }

        private void end() {
            endedScans++;
            consumer.onComplete();
        }

        private final class Controller implements AdvancedScanResultConsumer.ScanController {
            private boolean isTerminated;
            private boolean isSuspended;

            @Override
            public AdvancedScanResultConsumer.ScanResumer suspend() {
                isSuspended = true;
                return () -> {
                    if (isSuspended) {
                        isSuspended = false;
                        answers.execute(FakeScan.this::load);
                    }
                };
            }

            @Override
            public void terminate() {
                isTerminated = true;
            }

            @Override
            public Optional<Cursor> cursor() {
                return Optional.empty();
            }
        }
    }
}
