package org.diffindex.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinitions;

/**
 * The differences between two descriptors of one table, except those that the creation or the drop of an index makes:
 * the definitions, their revision, and the coprocessor of base tables.
 */
final class OtherDifferences {
    private static final String OBSERVER = IndexObserver.class.getName();

    private OtherDifferences() {}

    /** Returns the column families and the values that differ, as a message names them; empty if none does. */
    static List<String> between(TableDescriptor one, TableDescriptor other) {
        List<String> differences = new ArrayList<>();
        Set<byte[]> families = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        families.addAll(one.getColumnFamilyNames());
        families.addAll(other.getColumnFamilyNames());
        for (byte[] family : families) {
            if (!isSame(one.getColumnFamily(family), other.getColumnFamily(family))) {
                differences.add("column family " + Bytes.toStringBinary(family));
            }
        }
        Map<Bytes, Bytes> values = values(one);
        Map<Bytes, Bytes> otherValues = values(other);
        Set<Bytes> keys = new TreeSet<>(values.keySet());
        keys.addAll(otherValues.keySet());
        for (Bytes key : keys) {
            if (!Objects.equals(values.get(key), otherValues.get(key))) {
                differences.add("value " + Bytes.toStringBinary(key.get(), key.getOffset(), key.getLength()));
            }
        }
        return differences;
    }

    /** Returns whether a family is the same in both descriptors; one of them may lack it. */
    private static boolean isSame(ColumnFamilyDescriptor one, ColumnFamilyDescriptor other) {
        return one != null
                && other != null
                && one.getValues().equals(other.getValues())
                && one.getConfiguration().equals(other.getConfiguration());
    }

    /** Returns a table's values, other coprocessors among them. */
    private static Map<Bytes, Bytes> values(TableDescriptor descriptor) {
        TableDescriptor plain = IndexDefinitions.withoutAny(descriptor);
        while (plain.hasCoprocessor(OBSERVER)) { // twice, if somebody has set it as a value
            plain = TableDescriptorBuilder.newBuilder(plain)
                    .removeCoprocessor(OBSERVER)
                    .build();
        }
        return plain.getValues();
    }
}
