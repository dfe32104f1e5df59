package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class ViolationsTest {
    private final List<Violation> told = new ArrayList<>();
    private final Violations violations = new Violations(told::add);

    private void lose(String row) {
        violations.add(new Violation(Kind.LOST, IndexScheme.SYNC_FULL, row, "v001", told.size(), "detail"));
    }

    @Test
    void countsAnEntryOnceHoweverManyReadsMissIt() {
        lose("r1");
        lose("r1");
        lose("r2");

        assertThat(violations.count()).isEqualTo(2);
        assertThat(violations.count(Kind.LOST)).isEqualTo(2);
        assertThat(violations.count(Kind.STALE)).isZero();
        assertThat(violations.all()).extracting(Violation::row).containsExactly("r1", "r2");
        assertThat(told).hasSize(2);
    }

    @Test
    void countsAllAndKeepsTheFirstThousand() {
        for (int i = 0; i < 1_001; i++) {
            lose("r" + i);
        }

        assertThat(violations.count()).isEqualTo(1_001);
        assertThat(told).hasSize(1_001);
        assertThat(violations.all()).hasSize(1_000).last().returns("r999", Violation::row);
    }
}
