package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class IndexSchemeTest {
    @ParameterizedTest
    @CsvSource({
        "sync-full,     false, false, false, false",
        "sync-insert,   false, true,  true,  false",
        "async-simple,  true,  false, false, false",
        "async-session, true,  false, false, true"
    })
    void eachSchemeHasItsMaintenanceProperties(
            String name, boolean asynchronous, boolean leavesStale, boolean mayInsertBeforeRow, boolean sessions) {
        IndexScheme scheme = IndexScheme.ofName(name);
        assertThat(scheme.isAsynchronous()).isEqualTo(asynchronous);
        assertThat(scheme.leavesStaleEntries()).isEqualTo(leavesStale);
        assertThat(scheme.mayInsertBeforeRow()).isEqualTo(mayInsertBeforeRow);
        assertThat(scheme.hasSessions()).isEqualTo(sessions);
        assertThat(scheme).hasToString(name);
    }

    @ParameterizedTest
    @CsvSource({
        "sync-full, true, true, false",
        "sync-insert, false, true, false",
        "async-simple, false, false, true",
        "async-session, false, false, true"
    })
    void derivesThePropertiesForReaders(
            String name, boolean deletesBeforeAck, boolean readsAcknowledged, boolean inOrder) {
        IndexScheme scheme = IndexScheme.ofName(name);
        assertThat(scheme.deletesBeforeAck()).isEqualTo(deletesBeforeAck);
        assertThat(scheme.readsAcknowledgedWrites()).isEqualTo(readsAcknowledged);
        assertThat(scheme.returnsHitsInOrder()).isEqualTo(inOrder);
    }

    @ParameterizedTest
    @EnumSource
    void anInsertPrecedesItsRowOnlyIfTheWriteWaitsForItAndReadersCheckIt(IndexScheme scheme) {
        assertThat(!scheme.mayInsertBeforeRow() || (!scheme.isAsynchronous() && scheme.leavesStaleEntries()))
                .isTrue();
    }

    @Test
    void onlyAnActiveIndexIsReadable() {
        assertThat(IndexState.BUILDING.isReadable()).isFalse();
        assertThat(IndexState.ACTIVE.isReadable()).isTrue();
    }
}
