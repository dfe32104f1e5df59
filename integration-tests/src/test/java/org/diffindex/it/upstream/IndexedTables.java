package org.diffindex.it.upstream;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/**
 * The indexed tables that the running test may have written, and the result of comparing them with their indexes. A
 * table that a test creates is compared at the end of that test only; one that the class creates, at the end of each
 * test.
 */
final class IndexedTables {
    private static final Duration DRAIN = Duration.ofSeconds(60);

    private static Connection master;
    private static Connection connection;
    private static boolean inTest;
    private static final Set<TableName> ofTheClass = new LinkedHashSet<>();
    private static final Set<TableName> ofTheTest = new LinkedHashSet<>();
    private static final List<String> differences = new ArrayList<>();
    private static long entries;
    private static int comparisons;
    private static int tables;

    private IndexedTables() {}

    /**
     * What was found since the test began.
     *
     * @param tables how many tables with indexes the test could write
     * @param comparisons how many indexes were compared with their tables
     * @param entries how many entries these indexes together should have had
     */
    record Found(int tables, int comparisons, long entries, List<String> differences) {}

    static synchronized void created(Connection by, TableName table) throws IOException {
        if (master != by) {
            master = by;
            connection = ofTheSuperuser(by.getConfiguration());
        }
        (inTest ? ofTheTest : ofTheClass).add(table);
        tables++;
    }

    /** Returns a connection of a user who sees all cells, whatever their visibility labels. */
    private static Connection ofTheSuperuser(Configuration conf) throws IOException {
        String[] superusers = conf.getTrimmedStrings(Superusers.SUPERUSER_CONF_KEY);
        return superusers.length == 0
                ? ConnectionFactory.createConnection(conf)
                : ConnectionFactory.createConnection(
                        conf, User.createUserForTesting(conf, superusers[0], new String[0]));
    }

    static synchronized void deleted(TableName table) {
        ofTheTest.remove(table);
        ofTheClass.remove(table);
    }

    static synchronized void classStarts() {
        ofTheClass.clear();
        testStarts();
        inTest = false;
    }

    static synchronized void testStarts() {
        inTest = true;
        ofTheTest.clear();
        tables = ofTheClass.size();
        differences.clear();
        entries = 0;
        comparisons = 0;
    }

    /** Compares all tables that the test may have written. */
    static Found testEnds() {
        for (TableName table : watched()) {
            compare(table);
        }
        return found();
    }

    private static synchronized List<TableName> watched() {
        inTest = false;
        List<TableName> tables = new ArrayList<>(ofTheClass);
        tables.addAll(ofTheTest);
        return tables;
    }

    private static synchronized Found found() {
        return new Found(tables, comparisons, entries, List.copyOf(differences));
    }

    /** Compares a table with its indexes, if it has any and can be read. */
    static void compare(TableName table) {
        Connection current = connection;
        if (current == null || !isWatched(table)) {
            return;
        }
        try (Admin admin = current.getAdmin()) {
            if (admin.tableExists(table) && admin.isTableEnabled(table)) {
                compare(current, admin.getDescriptor(table));
            }
        } catch (IOException | RuntimeException e) {
            differ(table + " cannot be compared: " + e);
        }
    }

    private static synchronized boolean isWatched(TableName table) {
        return ofTheClass.contains(table) || ofTheTest.contains(table);
    }

    private static void compare(Connection current, TableDescriptor table) throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(current)) {
            long left = admin.drain(table.getTableName(), DRAIN);
            if (left > 0) {
                differ(table.getTableName() + " has " + left + " updates left after a drain");
            }
        }
        for (IndexDefinition index : IndexDefinitions.of(table).values()) {
            ScrubReport report = IndexComparison.compare(current, index);
            count(report.rows());
            if (!report.isClean()) {
                differ(report.toString());
            }
        }
    }

    private static synchronized void count(long rows) {
        comparisons++;
        entries += rows;
    }

    private static synchronized void differ(String difference) {
        differences.add(difference);
    }
}
