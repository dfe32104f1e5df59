package org.diffindex.ycsb;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import site.ycsb.WorkloadException;

/** The {@code item} table with its indexes by title and by price: creates them for a load, checks them for a run. */
final class ItemTable {
    private final ItemProperties properties;

    ItemTable(ItemProperties properties) {
        this.properties = properties;
    }

    /**
     * Creates the table and its indexes, if this is a load and the table does not exist; then checks that the table is
     * as the properties say.
     *
     * @throws WorkloadException if it is not; the message says what to do
     */
    void prepare(Connection connection) throws IOException, WorkloadException {
        try (Admin admin = connection.getAdmin();
                DiffIndexAdmin indexes = new DiffIndexAdmin(connection)) {
            boolean exists = admin.tableExists(properties.table());
            if (!exists && !properties.load()) {
                throw new WorkloadException("There is no table " + properties.table() + "; load it first");
            }
            if (!exists) {
                create(admin, indexes);
            }
            check(admin, indexes.listIndexes(properties.table()));
        }
    }

    private void create(Admin admin, DiffIndexAdmin indexes) throws IOException {
        try {
            admin.createTable(descriptor(), splitKeys());
        } catch (TableExistsException e) {
            return; // another loader was faster; the check that follows compares its table
        }
        for (IndexDefinition definition : definitions()) {
            indexes.createIndex(definition);
        }
    }

    private void check(Admin admin, List<IndexDefinition> found) throws IOException, WorkloadException {
        if (!admin.getDescriptor(properties.table()).hasColumnFamily(Bytes.toBytes(properties.family()))) {
            throw new WorkloadException("Table " + properties.table() + " has no column family " + properties.family()
                    + "; set " + ItemProperties.FAMILY + " to the one that it was loaded with, or drop the table and"
                    + " load again");
        }
        for (String name : List.of(ItemIndexes.BY_TITLE, ItemIndexes.BY_PRICE)) {
            Optional<IndexScheme> scheme = found.stream()
                    .filter(definition -> definition.name().equals(name))
                    .map(IndexDefinition::scheme)
                    .findFirst();
            if (!scheme.equals(properties.scheme())) {
                throw new WorkloadException(
                        "Table " + properties.table() + " has " + show(scheme) + " for index " + name
                                + ", not " + show(properties.scheme()) + "; set " + ItemProperties.SCHEME
                                + " to what it was loaded with, or drop the table and load again");
            }
        }
    }

    private static String show(Optional<IndexScheme> scheme) {
        return "scheme " + scheme.map(IndexScheme::schemeName).orElse(ItemProperties.NO_SCHEME);
    }

    private TableDescriptor descriptor() {
        return TableDescriptorBuilder.newBuilder(properties.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(properties.family()))
                .build();
    }

    /** Returns the indexes of the scheme; none without a scheme. */
    List<IndexDefinition> definitions() {
        return properties
                .scheme()
                .map(scheme -> List.of(byTitle(scheme), byPrice(scheme)))
                .orElse(List.of());
    }

    private IndexDefinition byTitle(IndexScheme scheme) {
        return IndexDefinition.builder(properties.table(), ItemIndexes.BY_TITLE)
                .column(properties.family(), Items.TITLE, ColumnTypes.STRING)
                .scheme(scheme)
                .splitAt(Items.splits(properties.regions()).toArray())
                .build();
    }

    private IndexDefinition byPrice(IndexScheme scheme) {
        int regions = properties.regions();
        Object[] splits = IntStream.range(1, regions)
                .mapToObj(i -> Items.PRICES * i / regions)
                .toArray();
        return IndexDefinition.builder(properties.table(), ItemIndexes.BY_PRICE)
                .column(properties.family(), Items.PRICE, ColumnTypes.LONG)
                .scheme(scheme)
                .splitAt(splits)
                .build();
    }

    /** Returns the keys that divide the base table evenly. */
    byte[][] splitKeys() {
        return Items.splits(properties.regions()).stream().map(Bytes::toBytes).toArray(byte[][]::new);
    }
}
