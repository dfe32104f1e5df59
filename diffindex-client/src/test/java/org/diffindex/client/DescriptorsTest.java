package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

class DescriptorsTest {
    private static final TableDescriptor PLAIN =
            TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).build();

    /**
     * If this fails, HBase compares coprocessors by value: then a base table's revision can always be removed.
     */
    @Test
    void hbaseMistakesEveryTableWithACoprocessorForOneWhoseCoprocessorsChange() throws IOException {
        TableDescriptor observed = TableDescriptorBuilder.newBuilder(PLAIN)
                .setCoprocessor(Coprocessors.INDEX_OBSERVER)
                .build();
        assertThat(Descriptors.canKeepRegionsOpen(observed)).isFalse();
        assertThat(Descriptors.canKeepRegionsOpen(PLAIN)).isTrue();
    }
}
