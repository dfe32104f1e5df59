package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.diffindex.client.BackfillProgress;
import org.junit.jupiter.api.Test;

class CreateIndexCommandTest {
    /** Of 1,500 rows with one of the columns of an index, 300 lack another one, and 7 cannot be indexed. */
    @Test
    void countsTheEntriesAndNotTheRowsThatMightHaveOne() {
        assertThat(CreateIndexCommand.inWords(new BackfillProgress(1_500, 1_193, 7, 20_000, 2, 2)))
                .isEqualTo("1,193 entries written, 7 rows left out, 20,000 rows read");
    }
}
