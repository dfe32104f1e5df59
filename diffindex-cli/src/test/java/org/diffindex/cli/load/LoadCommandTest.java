package org.diffindex.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class LoadCommandTest {
    /** Some rows of the batch that failed may be written. */
    @Test
    void aFailureSaysHowManyRowsAreWrittenAtLeast() {
        IOException cause = new IOException("Rows could not be written");
        assertThat(LoadCommand.failure(cause, 12_000, TableName.valueOf("flights")))
                .hasMessage("Rows could not be written; at least 12,000 rows of the file are in table flights; remove"
                        + " the cause and load the file again, which overwrites them")
                .hasCause(cause);
    }
}
