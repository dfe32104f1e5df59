package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.TableIndexes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which failures of a read by index mean that the index was dropped. */
class FailedReadsTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build()
            .withId("1");

    private IndexCatalog.Source stored = () -> defining(INDEX);
    private int readings;
    private final IndexCatalog catalog = new IndexCatalog(INDEX.table(), () -> {
        readings++;
        return stored.read();
    });
    private Optional<BuildStatus> build = Optional.empty();
    private final FailedReads failed = new FailedReads(catalog, INDEX, () -> build);

    private static TableIndexes defining(IndexDefinition index) {
        return new TableIndexes(Map.of(index.name(), index), Map.of());
    }

    @BeforeEach
    void readDefinitions() throws IOException {
        assertThat(catalog.index("by_v")).isEqualTo(INDEX);
    }

    @Test
    void aRefusedReadMeansADropAndTheDefinitionsAreReadAgain() throws IOException {
        IOException refusal = new IndexReplacedException("the index is being dropped");
        assertThat(failed.exceptionFor(refusal))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("'by_v' of table t")
                .hasMessageContaining("was interrupted: drop it again")
                .hasCause(refusal);
        assertThat(catalog.definitions().containsKey("by_v")).isTrue();
        assertThat(readings).isEqualTo(2);
        assertThat(failed.exceptionFor(new TableNotFoundException("t.by_v"))).isInstanceOf(NoSuchIndexException.class);
    }

    @Test
    void oneRefusedLookupOfABatchMeansADrop() {
        assertThat(failed.exceptionFor(batch(new IOException("slow"), new IndexReplacedException("dropped"))))
                .isInstanceOf(NoSuchIndexException.class);
        IOException other = batch(new IOException("slow"), new IOException("slow"));
        assertThat(failed.exceptionFor(other)).isSameAs(other);
        assertThat(readings).isEqualTo(1);
    }

    private static RetriesExhaustedWithDetailsException batch(IOException... failures) {
        return new RetriesExhaustedWithDetailsException(
                List.of(failures),
                List.of(new Get(Bytes.toBytes("a")), new Get(Bytes.toBytes("b"))),
                List.of("server:1", "server:2"));
    }

    /** A drop disables the table before it deletes it. */
    @Test
    void aDisabledTableMeansADropIfTheIndexIsNotDefined() {
        IOException disabled = new TableNotEnabledException("t.by_v");
        assertThat(failed.exceptionFor(disabled)).isSameAs(disabled);
        stored = () -> TableIndexes.NONE;
        assertThat(failed.exceptionFor(disabled)).isInstanceOf(NoSuchIndexException.class);
        stored = () -> defining(INDEX.withId("2"));
        assertThat(failed.exceptionFor(disabled)).isInstanceOf(NoSuchIndexException.class);
        stored = () -> {
            throw new TableNotFoundException("t");
        };
        assertThat(failed.exceptionFor(disabled)).isInstanceOf(NoSuchIndexException.class);
    }

    @Test
    void aReadOfAnIndexThatIsBuildingSaysHowFarItIs() {
        IOException refusal = new IndexNotReadableException("Nothing was read: the index is BUILDING");
        assertThat(failed.exceptionFor(refusal)).isSameAs(refusal);
        build = Optional.of(new BuildStatus(
                20_000,
                1_193,
                7,
                1,
                3,
                true,
                OptionalDouble.of(500),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
        assertThat(failed.exceptionFor(refusal))
                .isInstanceOf(IndexNotReadableException.class)
                .hasMessage(
                        "Nothing was read: the index is BUILDING. Its build: 1,193 entries written, 7 rows left out,"
                                + " 20,000 rows read, 1 of 3 ranges, paused, limited to 500 rows/s")
                .hasCause(refusal);
    }

    @Test
    void anInterruptWhileTheMasterIsAskedEndsTheRead() {
        FailedReads interrupted = new FailedReads(catalog, INDEX, () -> {
            throw new InterruptedIOException("while asking");
        });
        assertThat(interrupted.exceptionFor(new IndexNotReadableException("BUILDING")))
                .isInstanceOf(InterruptedIOException.class);
    }

    @Test
    void anythingElseIsNotADrop() {
        IOException disabled = new TableNotEnabledException("t.by_v");
        stored = () -> {
            throw new IOException("no server");
        };
        assertThat(failed.exceptionFor(disabled)).isSameAs(disabled);
        assertThat(disabled.getSuppressed())
                .singleElement()
                .extracting(Throwable::getMessage)
                .isEqualTo("no server");
        IOException other = new IOException("a server died");
        assertThat(failed.exceptionFor(other)).isSameAs(other);
    }
}
