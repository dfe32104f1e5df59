package org.diffindex.server.sequences;

import java.io.IOException;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import org.diffindex.server.sequences.Sequences.Sequence;

/** {@link RegionModelTest} with other sequences. */
@Tag("proof")
public class RegionModelProofTest extends RegionModelTest {
    @Override
    @Property(tries = PROOF, seed = PROOF_SEED, edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
    @AddLifecycleHook(HowMany.class)
    public void theIndexesHoldWhatTheBaseShows(@ForAll("sequences") Sequence sequence) throws IOException {
        super.theIndexesHoldWhatTheBaseShows(sequence);
    }
}
