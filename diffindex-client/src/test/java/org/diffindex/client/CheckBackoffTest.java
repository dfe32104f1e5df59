package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which pages are asked about, by what was confirmed of the ones before. */
class CheckBackoffTest {
    private final CheckBackoff backoff = new CheckBackoff();

    /** Returns the lengths of the next pauses, if the admitted pages are answered like this. */
    private List<Integer> pauses(int count, int confirmed, int asked) {
        List<Integer> pauses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            assertThat(backoff.admitsPage()).isTrue();
            backoff.learn(confirmed, asked);
            pauses.add(skipped());
        }
        return pauses;
    }

    /** Skips pages up to one that is admitted, without counting that one. */
    private int skipped() {
        int skipped = 0;
        while (!backoff.admitsPage()) {
            skipped++;
        }
        return skipped;
    }

    @Test
    void skipsTwiceAsManyPagesAfterEachThatWasUselessUpToABound() {
        assertThat(pauses(9, 0, 100)).containsExactly(1, 2, 4, 8, 16, 32, 64, 64, 64);
    }

    @Test
    void skipsNothingWhileAQuarterIsConfirmed() {
        assertThat(pauses(5, 25, 100)).containsOnly(0);
        assertThat(pauses(1, 24, 100)).containsExactly(1);
    }

    @Test
    void beginsAnewAfterAPageThatWasWorthwhile() {
        pauses(5, 0, 100);
        assertThat(pauses(1, 100, 100)).containsExactly(0);
        assertThat(pauses(3, 0, 100)).containsExactly(1, 2, 4);
    }

    @Test
    void aPageOfWhichNoRegionWasAskedTeachesNothing() {
        pauses(3, 0, 100);
        assertThat(pauses(2, 0, 0)).containsOnly(0);
        assertThat(pauses(1, 0, 100)).containsExactly(8);
    }

    /** Of pages that were asked about at the same time, a useful one ends the pause that a useless one began. */
    @Test
    void aWorthwhilePageEndsThePauseOfAnother() {
        assertThat(backoff.admitsPage()).isTrue();
        assertThat(backoff.admitsPage()).isTrue();
        backoff.learn(0, 100);
        backoff.learn(100, 100);
        assertThat(skipped()).isZero();
    }

    /** Readers that ask at the same time learn the same. */
    @Test
    void pagesThatWereAskedAboutAtTheSameTimeCountOnce() {
        CheckBackoff backoff = new CheckBackoff();
        for (int i = 0; i < 7; i++) {
            assertThat(backoff.admitsPage()).isTrue();
        }
        for (int i = 0; i < 7; i++) {
            backoff.learn(0, 100);
        }
        assertThat(backoff.admitsPage()).isFalse();
        assertThat(backoff.admitsPage()).isTrue();
    }
}
