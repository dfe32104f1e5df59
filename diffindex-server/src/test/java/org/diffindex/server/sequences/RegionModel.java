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
 * Checks index = f(visible base) by random sequences of all kinds of writes, of flushes, compactions, splits, merges
 * and moves, of crashes of the server and of failing deliveries, on real regions with index tables in memory.
 *
 * <p>The build runs the same sequences each time; the profile {@code proof} runs ten times as many. {@code
 * -Ddiffindex.sequences=N} runs N others, half of them in each class; {@code -Ddiffindex.seed=S} selects which.
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

    /** The number of classes that share the sequences, each in its own process. */
    private static final int CLASSES = 2;

    /** The number of sequences of each class in an ordinary build. */
    public static final int EVERYDAY = 250;

    public static final String SEED = "4";

    /** The number of sequences of each class in the proofs, of another seed. */
    public static final int PROOF = 150;

    public static final String PROOF_SEED = "5";

    /** Reads the number of sequences and the seed from system properties, which the annotation cannot. */
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
