package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.OptionalDouble;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;

/** Tests that an index table has the encryption and the storage policy of the indexed columns. */
class IndexTableLayoutTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final byte[] KEY = {1, 2, 3};
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_both")
            .column("plain", "v", ColumnTypes.STRING)
            .column("secret", "v", ColumnTypes.STRING)
            .build();

    private static ColumnFamilyDescriptor family(ColumnFamilyDescriptorBuilder secret) throws IOException {
        TableDescriptor base = TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("plain"))
                .setColumnFamily(secret.build())
                .build();
        return IndexTableLayout.of(INDEX, IndexState.BUILDING, base, new Configuration(false))
                .getColumnFamily(EntryFormat.FAMILY);
    }

    private static ColumnFamilyDescriptorBuilder secret() {
        return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("secret"));
    }

    @Test
    void inheritsEncryptionWithItsKey() throws IOException {
        ColumnFamilyDescriptor family = family(secret().setEncryptionType("AES").setEncryptionKey(KEY));
        assertThat(family.getEncryptionType()).isEqualTo("AES");
        assertThat(family.getEncryptionKey()).isEqualTo(KEY);
    }

    @Test
    void inheritsEncryptionWithAKeyForEachFile() throws IOException {
        ColumnFamilyDescriptor family = family(secret().setEncryptionType("AES"));
        assertThat(family.getEncryptionType()).isEqualTo("AES");
        assertThat(family.getEncryptionKey()).isNull();
    }

    @Test
    void inheritsTheStoragePolicy() throws IOException {
        assertThat(family(secret().setStoragePolicy("ALL_SSD")).getStoragePolicy())
                .isEqualTo("ALL_SSD");
    }

    @Test
    void inheritsNothingFromPlainFamilies() throws IOException {
        ColumnFamilyDescriptor family = family(secret());
        assertThat(family.getEncryptionType()).isNull();
        assertThat(family.getStoragePolicy()).isNull();
    }

    /** What a build remembers are keys of the base table's rows. */
    @Test
    void theBuildFamilyIsEncryptedLikeTheEntries() throws IOException {
        TableDescriptor base = TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("plain"))
                .setColumnFamily(
                        secret().setEncryptionType("AES").setEncryptionKey(KEY).build())
                .build();
        TableDescriptor own = IndexTableLayout.of(INDEX, IndexState.BUILDING, base, new Configuration(false));
        TableDescriptor building = BuildFamily.add(own, OptionalDouble.empty(), false);
        assertThat(building.getColumnFamily(BuildFamily.NAME).getEncryptionType())
                .isEqualTo("AES");
    }
}
