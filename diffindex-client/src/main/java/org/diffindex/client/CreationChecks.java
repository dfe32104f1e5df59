package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexedColumn;

/** The checks before an index is created or enabled, so that a definition that cannot work changes nothing. */
final class CreationChecks {
    private CreationChecks() {}

    /** Checks everything that can be wrong before anything is changed; returns the base table's descriptor. */
    static TableDescriptor check(Connection connection, Admin admin, IndexDefinition definition) throws IOException {
        TableName table = definition.table();
        if (table.isSystemTable()) {
            throw refusal(table + " is one of HBase's own tables and cannot be indexed");
        }
        TableDescriptor base = Descriptors.of(admin, table);
        Optional<TableName> baseOfBase = IndexDefinitions.baseTableOf(base);
        if (baseOfBase.isPresent()) {
            throw refusal(table + " is itself an index table, of " + baseOfBase.get() + ", and cannot be indexed");
        }
        checkFamilies(definition, base);
        checkSplitPoints(definition);
        if (!admin.isTableEnabled(table)) {
            throw new TableNotEnabledException(
                    "Table " + table + " is disabled, and an index is backfilled through its regions; enable it first."
                            + " Nothing was changed");
        }
        ColumnTypeCheck.check(connection, admin, List.of(definition));
        return base;
    }

    /** Refuses a definition with a column whose family the table does not have. */
    static void checkFamilies(IndexDefinition definition, TableDescriptor base) throws DoNotRetryIOException {
        List<String> unknown = new ArrayList<>();
        for (IndexedColumn column : definition.readColumns()) {
            if (!base.hasColumnFamily(column.family())) {
                unknown.add(column.toString());
            }
        }
        if (!unknown.isEmpty()) {
            List<String> families = base.getColumnFamilyNames().stream()
                    .map(Bytes::toStringBinary)
                    .toList();
            throw refusal("Table " + base.getTableName() + " has no column family for " + String.join(", ", unknown)
                    + "; its families are " + String.join(", ", families));
        }
    }

    /** Refuses split points that HBase would not accept. */
    static void checkSplitPoints(IndexDefinition definition) throws DoNotRetryIOException {
        byte[] before = new byte[0];
        for (byte[] split : definition.splitPoints()) {
            if (Bytes.compareTo(before, split) == 0) {
                throw refusal("The split points of index " + definition.name()
                        + " must differ from each other and not be empty; '" + Bytes.toStringBinary(split)
                        + "' does not");
            }
            before = split;
        }
    }

    static DoNotRetryIOException refusal(String reason) {
        return new DoNotRetryIOException(reason + ". Nothing was changed");
    }
}
