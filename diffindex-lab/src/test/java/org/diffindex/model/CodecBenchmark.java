package org.diffindex.model;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encodes values and a row key to an index key, and decodes the key. The values are those of the paper's item table.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class CodecBenchmark {
    private static final byte[] ROW = Bytes.toBytes("00c0ffee00c0ffee");

    /** The columns of the index. */
    public enum Columns {
        /** A title of 48 characters. */
        TITLE,
        /** A title and a price, so that the title needs its end marked. */
        TITLE_AND_PRICE
    }

    @Param
    public Columns columns;

    private IndexKeyCodec codec;
    private List<byte[]> values;
    private byte[] key;

    /** Encodes the key that is to be decoded. */
    @Setup
    public void encodeOne() throws UndecodableValueException {
        IndexDefinition.Builder index = IndexDefinition.builder(TableName.valueOf("item"), "by_title")
                .column("f", "item_title", ColumnTypes.STRING);
        byte[] title = Bytes.toBytes("9e3779b97f4a7c15 the quick brown fox of item 42-7");
        if (columns == Columns.TITLE_AND_PRICE) {
            codec = new IndexKeyCodec(
                    index.column("f", "item_price", ColumnTypes.LONG).build());
            values = List.of(title, Bytes.toBytes(4_200L));
        } else {
            codec = new IndexKeyCodec(index.build());
            values = List.of(title);
        }
        key = codec.encode(values, ROW);
    }

    @Benchmark
    public byte[] encode() throws UndecodableValueException {
        return codec.encode(values, ROW);
    }

    @Benchmark
    public IndexKeyCodec.Key decode() {
        return codec.decode(key);
    }
}
