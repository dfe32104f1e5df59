package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

class IndexCompletionTest {
    private static final TableDescriptor PLAIN =
            TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).build();

    /**
     * If this fails, HBase compares coprocessors by value: then an index becomes ACTIVE without reopening its regions.
     */
    @Test
    void hbaseMistakesEveryTableWithACoprocessorForOneWhoseCoprocessorsChange() throws Exception {
        TableDescriptor observed = TableDescriptorBuilder.newBuilder(PLAIN)
                .setCoprocessor(Coprocessors.INDEX_OBSERVER)
                .build();
        assertThat(IndexCompletion.canKeepRegionsOpen(observed)).isFalse();
        assertThat(IndexCompletion.canKeepRegionsOpen(PLAIN)).isTrue();
    }
}
