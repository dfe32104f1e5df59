package org.diffindex.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.diffindex.lab.demo.OriginChange.Sightings;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests the broken promises that the demo counts. Every flight moves from ORD to MDW here. */
class OriginChangeTest {
    private static final List<String> NEW = List.of("MDW");
    private static final List<String> OLD = List.of("ORD");
    private static final List<String> BOTH = List.of("ORD", "MDW");

    private final OriginChange change =
            new OriginChange(null, new Flight("0000030", "2001-01-01T00:12", "0", "1", "ORD", "SYR"), "MDW");

    private List<String> broken(IndexScheme scheme, List<String> afterAck, List<String> afterDrain) {
        return change.broken(scheme, new Sightings(afterAck, Optional.empty(), afterDrain));
    }

    @Test
    void aSynchronousSchemeShowsTheNewOriginAtOnce() {
        for (IndexScheme scheme : List.of(IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT)) {
            assertThat(broken(scheme, NEW, NEW)).isEmpty();
            assertThat(broken(scheme, OLD, NEW)).singleElement().asString().contains("right after the acknowledgement");
            assertThat(broken(scheme, BOTH, NEW)).hasSize(1);
            assertThat(broken(scheme, List.of(), NEW)).hasSize(1);
        }
    }

    @Test
    void anAsynchronousSchemeMayShowAnythingUntilItIsDrained() {
        for (IndexScheme scheme : List.of(IndexScheme.ASYNC_SIMPLE, IndexScheme.ASYNC_SESSION)) {
            assertThat(broken(scheme, OLD, NEW)).isEmpty();
            assertThat(broken(scheme, BOTH, NEW)).isEmpty();
            assertThat(broken(scheme, NEW, OLD)).singleElement().asString().contains("after a drain");
        }
    }

    @Test
    void aSessionSeesItsOwnWrite() {
        Sightings kept = new Sightings(OLD, Optional.of(NEW), NEW);
        Sightings missed = new Sightings(OLD, Optional.of(OLD), NEW);
        assertThat(change.broken(IndexScheme.ASYNC_SESSION, kept)).isEmpty();
        assertThat(change.broken(IndexScheme.ASYNC_SESSION, missed))
                .singleElement()
                .asString()
                .contains("flight 0000030 is in MDW", "in the session that wrote", "[ORD]");
    }

    @Test
    void namesEachBrokenPromise() {
        Sightings wrong = new Sightings(OLD, Optional.of(OLD), OLD);
        assertThat(change.broken(IndexScheme.SYNC_FULL, wrong)).hasSize(3);
    }
}
