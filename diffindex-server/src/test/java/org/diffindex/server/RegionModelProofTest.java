package org.diffindex.server;

import java.io.IOException;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import org.diffindex.server.Sequences.Sequence;

/** {@link RegionModelTest} with ten times as many sequences. */
@Tag("proof")
class RegionModelProofTest extends RegionModelTest {
    @Override
    @Property(tries = PROOF, seed = SEED, edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
    @AddLifecycleHook(HowMany.class)
    void theIndexesHoldWhatTheBaseShows(@ForAll("sequences") Sequence sequence) throws IOException {
        super.theIndexesHoldWhatTheBaseShows(sequence);
    }
}
