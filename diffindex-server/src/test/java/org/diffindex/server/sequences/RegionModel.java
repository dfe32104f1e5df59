package org.diffindex.server.sequences;

import java.io.IOException;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.BeforeProperty;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;
import org.diffindex.server.sequences.Sequences.Sequence;

/**
 * Index = f(visible base), through random sequences of every kind of write, of flushes, compactions, splits, merges and
 * moves, of crashes of the server and failures of the way to the index; on real regions, with index tables in memory.
 *
 * <p>The build runs the same sequences each time; the profile {@code proof} runs twenty times as many. {@code
 * -Ddiffindex.sequences=N} runs so many others, each of the classes its half; {@code -Ddiffindex.seed=S} says which.
 */
public abstract class RegionModel {
    private final Set<TableShape> shapes;
    private SequenceRuns runs;

    public RegionModel(Set<TableShape> shapes) {
        this.shapes = shapes;
    }

    @BeforeProperty
    public void begin() {
        runs = new SequenceRuns();
    }

    @AfterProperty
    public void end() throws IOException {
        runs.close();
        runs.census().write(getClass());
    }

    /** Two processes share the work. */
    private static final int CLASSES = 2;

    /** Sequences of each class in the everyday build, and in the proof. */
    public static final int EVERYDAY = 250;

    public static final int PROOF = 5_000;

    public static final String SEED = "4";

    /** Reads the number of sequences and the seed, which the annotation cannot. */
    public static final class HowMany implements AroundPropertyHook {
        @Override
        public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property) {
            Integer wanted = Integer.getInteger("diffindex.sequences");
            if (wanted != null) {
                context.attributes().setTries(Math.max(1, wanted / CLASSES));
                context.attributes().setSeed(System.getProperty("diffindex.seed", Long.toString(System.nanoTime())));
            }
            return property.execute();
        }
    }

    @Provide
    public Arbitrary<Sequence> sequences() {
        return Sequences.of(shapes);
    }

    @Property(tries = EVERYDAY, seed = SEED, edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
    @AddLifecycleHook(HowMany.class)
    public void theIndexesHoldWhatTheBaseShows(@ForAll("sequences") Sequence sequence) throws IOException {
        runs.run(sequence);
    }
}
