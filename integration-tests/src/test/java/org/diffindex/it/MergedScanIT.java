package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A scan misses no row that moves once, if regions of the index merge between two of its pages. */
@ExtendWith(ClusterExtension.class)
class MergedScanIT {
    private static final String INDEX = "city";

    private final Connection connection;

    MergedScanIT(Connection connection) {
        this.connection = connection;
    }

    private static void put(Table table, String row, String city) throws IOException {
        table.put(
                new Put(Bytes.toBytes(row)).addColumn(Bytes.toBytes("f"), Bytes.toBytes("city"), Bytes.toBytes(city)));
    }

    @ParameterizedTest
    @EnumSource(
            value = IndexScheme.class,
            names = {"SYNC_FULL", "SYNC_INSERT"})
    void aRowThatMovesToARegionThatWasReadIsFoundAlthoughItHasMerged(IndexScheme scheme) throws Exception {
        TableName name = TableName.valueOf("merged_" + scheme.name());
        IndexDefinition index = IndexDefinition.builder(name, INDEX)
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .splitAt("m")
                .build();
        List<String> found = new ArrayList<>();
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Admin hbase = connection.getAdmin();
                Table table = connection.getTable(name);
                IndexedTable indexed = new IndexedTable(connection, name)) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .build(),
                    new byte[0][],
                    index);
            put(table, "still1", "a");
            put(table, "still2", "b");
            put(table, "moves", "x");
            put(table, "still3", "y");
            try (IndexScanner hits =
                    indexed.getByIndex(IndexQuery.index(INDEX).caching(2).build())) {
                found.add(Bytes.toString(hits.next().row()));
                found.add(Bytes.toString(hits.next().row()));
                byte[][] regions = hbase.getRegions(index.indexTable()).stream()
                        .map(RegionInfo::getEncodedNameAsBytes)
                        .toArray(byte[][]::new);
                assertThat(regions).hasDimensions(2, regions[0].length);
                hbase.mergeRegionsAsync(regions, false).get(60, TimeUnit.SECONDS);
                put(table, "moves", "c");
                for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                    found.add(Bytes.toString(hit.row()));
                }
            }
        }
        assertThat(found).contains("still1", "still2", "moves", "still3");
    }
}
