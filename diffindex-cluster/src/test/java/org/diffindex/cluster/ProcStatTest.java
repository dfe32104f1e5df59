package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcStatTest {
    private static String stat(String command, char state, int threads) {
        return "4711 (" + command + ") " + state + " 1 4711 4711 0 -1 4227084 2969 6523 13 1 4 1 3 1 20 0 " + threads
                + " 0 5636471 0 0 18446744073709551615 0 0 0 0 0 0 0 16781318 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
    }

    @Test
    void readsTheFieldsAfterACommandWithSpacesAndParentheses() {
        assertThat(ProcStat.parse(stat("a) Z 1 (b", 'S', 31))).isEqualTo(new ProcStat('S', 31, 5_636_471));
    }

    @Test
    void readsTheFieldsOfThisProcess() {
        ProcStat self = ProcStat.of(ProcessHandle.current().pid()).orElseThrow();

        assertThat(self.threads()).isGreaterThan(1);
        assertThat(self.hasEnded()).isFalse();
    }

    @Test
    void aProcessHasEndedWhenItsLastThreadHas() {
        assertThat(ProcStat.parse(stat("java", 'Z', 2)).hasEnded()).isFalse();
        assertThat(ProcStat.parse(stat("java", 'Z', 1)).hasEnded()).isTrue();
        assertThat(ProcStat.parse(stat("java", 'S', 1)).hasEnded()).isFalse();
    }
}
