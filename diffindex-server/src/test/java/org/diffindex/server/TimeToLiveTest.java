package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeToLiveTest {
    private static final TableName NAME = TableName.valueOf("t");
    private static final int FOREVER = HConstants.FOREVER;

    @ParameterizedTest
    @CsvSource({
        FOREVER + ", " + FOREVER + ", false",
        "60, " + FOREVER + ", true",
        FOREVER + ", 60, true",
        "60, 60, true"
    })
    void anIndexExpiresIfAnyOfItsColumnsDoes(int first, int second, boolean expires) {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                        .setTimeToLive(first)
                        .build())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("g"))
                        .setTimeToLive(second)
                        .build())
                .build();
        IndexDefinition index = IndexDefinition.builder(NAME, "by_both")
                .column("f", "a", ColumnTypes.STRING)
                .column("g", "a", ColumnTypes.STRING)
                .build();

        assertThat(TimeToLive.limits(index, table)).isEqualTo(expires);
    }
}
