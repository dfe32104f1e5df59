package org.diffindex.server;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;
import org.apache.commons.io.file.PathUtils;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.server.Sequences.Sequence;

/**
 * Index = f(visible base), through random sequences of every kind of write, of flushes, compactions, splits, merges and
 * moves, of crashes of the server and failures of the way to the index; on real regions, with index tables in memory.
 *
 * <p>The build runs the same sequences each time. {@code -Ddiffindex.sequences=N} runs so many others; {@code
 * -Ddiffindex.seed=S} says which.
 */
class RegionModelTest {
    private static final long START = 1_700_000_000_000L;

    /** Reads the number of sequences and the seed, which the annotation cannot. */
    static final class HowMany implements AroundPropertyHook {
        @Override
        public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property) {
            Integer wanted = Integer.getInteger("diffindex.sequences");
            if (wanted != null) {
                context.attributes().setTries(wanted);
                context.attributes().setSeed(System.getProperty("diffindex.seed", Long.toString(System.nanoTime())));
            }
            return property.execute();
        }
    }

    @Provide
    Arbitrary<Sequence> sequences() {
        return Sequences.any();
    }

    @Property(tries = 1_000, seed = "4", edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
    @AddLifecycleHook(HowMany.class)
    void theIndexesHoldWhatTheBaseShows(@ForAll("sequences") Sequence sequence) throws IOException {
        Path folder = Files.createTempDirectory("model");
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection(TableDescriptorBuilder.newBuilder(TableName.valueOf("unused"))
                    .build());
            try (LocalTable table = sequence.shape().open(folder, clock, network)) {
                new SequenceRun(table, network.faults, clock).run(sequence.steps());
            }
        } finally {
            delete(folder);
        }
    }

    /** A server that is stopped may still be removing a file of its own. */
    private static void delete(Path folder) {
        Waiting.until("the folder is removed", () -> {
            try {
                PathUtils.deleteDirectory(folder);
                return true;
            } catch (NoSuchFileException | DirectoryNotEmptyException e) {
                return !Files.exists(folder);
            }
        });
    }
}
