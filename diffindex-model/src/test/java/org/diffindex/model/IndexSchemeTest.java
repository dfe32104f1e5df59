package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexSchemeTest {
    @ParameterizedTest
    @CsvSource({
        "sync-full,     false, false, true,  true",
        "sync-insert,   false, true,  false, true",
        "async-simple,  true,  false, false, false",
        "async-session, true,  false, false, false"
    })
    void promises(
            String name,
            boolean asynchronous,
            boolean leavesStale,
            boolean deletesBeforeAck,
            boolean readsAcknowledged) {
        IndexScheme scheme = IndexScheme.ofName(name);
        assertThat(scheme.isAsynchronous()).isEqualTo(asynchronous);
        assertThat(scheme.leavesStaleEntries()).isEqualTo(leavesStale);
        assertThat(scheme.deletesBeforeAck()).isEqualTo(deletesBeforeAck);
        assertThat(scheme.readsAcknowledgedWrites()).isEqualTo(readsAcknowledged);
        assertThat(scheme).hasToString(name);
    }

    @Test
    void onlyAnActiveIndexIsRead() {
        assertThat(IndexState.BUILDING.isReadable()).isFalse();
        assertThat(IndexState.ACTIVE.isReadable()).isTrue();
    }
}
