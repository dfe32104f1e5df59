package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.RowChange;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Passes puts through the AUQ, without reads and deliveries: adds them, takes them in a batch, and releases them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class QueueBenchmark {
    private static final int PUTS = 512;
    private static final int BYTES = 400;

    /** The number of rows of the puts; puts of one row are merged into one change. */
    @Param({"512", "16"})
    public int rows;

    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1 << 30);
    private final UpdateQueue queue = new UpdateQueue();
    private final List<RowChange> puts = new ArrayList<>();

    @Setup
    public void makePuts() {
        puts.clear();
        for (int i = 0; i < PUTS; i++) {
            byte[] row = Bytes.toBytes(String.format("%016x", i % rows));
            Cell cell = new KeyValue(row, Bytes.toBytes("f"), Bytes.toBytes("item_title"), 1, new byte[50]);
            puts.add(RowChange.plainPut(row, i + 1, i + 1, List.of(cell)));
        }
    }

    /** Passes as many puts as the APS takes at once. */
    @Benchmark
    @OperationsPerInvocation(PUTS)
    public List<QueuedChange> addTakeAndLetGo() {
        for (RowChange put : puts) {
            memory.reserve(BYTES);
            PendingBatch pending = new PendingBatch(barrier.register(), memory, BYTES);
            queue.add(put, pending, 0);
            pending.release();
        }
        List<QueuedChange> taken = queue.take(PUTS);
        taken.forEach(QueuedChange::done);
        return taken;
    }
}
