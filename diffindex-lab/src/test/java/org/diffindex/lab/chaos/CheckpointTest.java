package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.diffindex.lab.chaos.IndexReads.Question;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    /** Under faults, a kind of read that always fails would go unnoticed among those that succeed. */
    @Test
    void readsEveryIndexInEveryWay() {
        for (String index : ChaosTable.INDEXES) {
            List<Question> asked = Question.all().stream()
                    .filter(question -> question.index().equals(index))
                    .toList();
            assertThat(asked.stream().filter(question -> question.limit().isEmpty() && !question.withRows()))
                    .as("reads without limit or rows, at least one for each value")
                    .hasSizeGreaterThanOrEqualTo(ValueRange.DOMAIN)
                    .anyMatch(CheckpointTest::isOverAllRegions);
            assertThat(asked)
                    .anyMatch(
                            question -> question.withRows() && question.limit().isEmpty() && isOverAllRegions(question))
                    .anyMatch(
                            question -> question.withRows() && question.limit().isPresent())
                    .anyMatch(
                            question -> !question.withRows() && question.limit().isPresent());
        }
    }

    private static boolean isOverAllRegions(Question question) {
        return ChaosTable.region(question.range().low()) == 0
                && ChaosTable.region(question.range().high()) == ChaosTable.BORDERS.size();
    }
}
