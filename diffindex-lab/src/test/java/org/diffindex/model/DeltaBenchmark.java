package org.diffindex.model;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Computes the step of an index from the row before a write to the row after it, both of ten columns. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class DeltaBenchmark {
    private static final byte[] ROW = Bytes.toBytes("00c0ffee00c0ffee");
    private static final byte[] FAMILY = Bytes.toBytes("f");

    private final IndexEntryFunction function =
            new IndexEntryFunction(IndexDefinition.builder(TableName.valueOf("item"), "by_title")
                    .column("f", "item_title", ColumnTypes.STRING)
                    .build());
    private final List<Cell> before = row("the title that it had", 1);
    private final List<Cell> after = row("the title that it has", 2);

    private static List<Cell> row(String title, long timestamp) {
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            cells.add(new KeyValue(ROW, FAMILY, Bytes.toBytes("field" + i), timestamp, new byte[100]));
        }
        cells.add(new KeyValue(ROW, FAMILY, Bytes.toBytes("item_title"), timestamp, Bytes.toBytes(title)));
        return cells;
    }

    /** Sync-full and the asynchronous schemes: deletes the old entry and puts the new one. */
    @Benchmark
    public IndexDelta ofAChangedTitle() {
        return IndexDelta.between(function.entryOf(ROW, before), function.entryOf(ROW, after));
    }

    /** Sync-insert: puts the new entry. */
    @Benchmark
    public IndexDelta insertOnly() {
        return IndexDelta.insertOnly(function.entryOf(ROW, after));
    }
}
