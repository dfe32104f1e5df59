package org.diffindex.ycsb;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexScheme;
import site.ycsb.Client;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/**
 * The parsed and validated properties of {@link ItemWorkload}, which documents their meaning and defaults. Immutable.
 */
final class ItemProperties {
    static final String TABLE = "table";
    static final String FAMILY = "columnfamily";
    static final String SCHEME = "diffindex.scheme";
    static final String SESSION = "diffindex.session";
    static final String SELECTIVITY = "diffindex.selectivity";
    static final String REGIONS = "diffindex.regions";
    static final String VERIFY = "diffindex.verify";
    static final String DISTRIBUTION = "requestdistribution";
    static final String FIELD_LENGTH = "fieldlength";
    static final String NO_SCHEME = "none";

    private static final double TOLERANCE = 1e-6;

    /** The distribution of the requested items. */
    enum Distribution {
        UNIFORM,
        ZIPFIAN,
        LATEST
    }

    private final Properties properties;
    private final TableName table;
    private final String family;
    private final Optional<IndexScheme> scheme;
    private final boolean session;
    private final boolean verify;
    private final boolean load;
    private final Distribution distribution;
    private final Map<ItemOperation, Double> proportions;
    private final double selectivity;
    private final int fieldLength;
    private final int regions;
    private final long recordCount;
    private final long insertStart;
    private final long operationCount;

    private ItemProperties(Properties properties) throws WorkloadException {
        this.properties = properties;
        this.table = tableName();
        this.family = text(FAMILY, "cf");
        this.scheme = readScheme();
        this.session = flag(SESSION, false);
        this.verify = flag(VERIFY, true);
        this.load = !flag(Client.DO_TRANSACTIONS_PROPERTY, true);
        this.distribution = readDistribution();
        this.selectivity = fraction(SELECTIVITY, 0.001);
        this.fieldLength = (int) whole(FIELD_LENGTH, 100, 0, 1 << 20);
        this.regions = (int) whole(REGIONS, 3, 1, 1000);
        this.recordCount = whole(Client.RECORD_COUNT_PROPERTY, 1000, 1, Integer.MAX_VALUE);
        this.insertStart = whole(Workload.INSERT_START_PROPERTY, 0, 0, Integer.MAX_VALUE);
        this.operationCount = whole(Client.OPERATION_COUNT_PROPERTY, 0, 0, Integer.MAX_VALUE);
        this.proportions = readProportions();
        check();
    }

    /**
     * Parses the properties.
     *
     * @throws WorkloadException if a value is invalid, or values contradict each other; the message names the property
     */
    static ItemProperties of(Properties properties) throws WorkloadException {
        return new ItemProperties(properties);
    }

    private void check() throws WorkloadException {
        if (session && scheme.isEmpty()) {
            throw new WorkloadException(
                    SESSION + "=true requires an index; set " + SCHEME + " to a scheme, or " + SESSION + " to false");
        }
        if (load) {
            return; // loading inserts, whatever the proportions
        }
        double sum =
                proportions.values().stream().mapToDouble(Double::doubleValue).sum();
        if (Math.abs(sum - 1) > TOLERANCE) {
            throw new WorkloadException("The proportions must sum to 1, not to " + sum + ": " + showProportions());
        }
        boolean readsIndex =
                proportions.entrySet().stream().anyMatch(entry -> entry.getKey().readsIndex() && entry.getValue() > 0);
        if (readsIndex && scheme.isEmpty()) {
            throw new WorkloadException(SCHEME + "=" + NO_SCHEME + " leaves no index to read: set "
                    + ItemOperation.READ_BY_INDEX.property() + " and " + ItemOperation.RANGE_BY_INDEX.property()
                    + " to 0, or choose another scheme");
        }
    }

    private String showProportions() {
        return proportions.entrySet().stream()
                .map(entry -> entry.getKey().property() + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private TableName tableName() throws WorkloadException {
        String name = text(TABLE, "item");
        try {
            return TableName.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw invalid(TABLE, name, "a table name", e);
        }
    }

    private Optional<IndexScheme> readScheme() throws WorkloadException {
        String name = text(SCHEME, IndexScheme.SYNC_FULL.schemeName());
        if (name.equals(NO_SCHEME)) {
            return Optional.empty();
        }
        try {
            return Optional.of(IndexScheme.ofName(name));
        } catch (IllegalArgumentException e) {
            throw invalid(SCHEME, name, "'none' or a scheme", e);
        }
    }

    private Distribution readDistribution() throws WorkloadException {
        String name = text(DISTRIBUTION, "uniform");
        for (Distribution each : Distribution.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(name)) {
                return each;
            }
        }
        String names = Arrays.toString(Distribution.values()).toLowerCase(Locale.ROOT);
        throw invalid(DISTRIBUTION, name, "one of " + names, null);
    }

    private Map<ItemOperation, Double> readProportions() throws WorkloadException {
        Map<ItemOperation, Double> all = new EnumMap<>(ItemOperation.class);
        for (ItemOperation operation : ItemOperation.values()) {
            all.put(operation, fraction(operation.property(), operation.defaultProportion()));
        }
        return all;
    }

    private String text(String name, String defaultValue) {
        return properties.getProperty(name, defaultValue).strip();
    }

    private boolean flag(String name, boolean defaultValue) throws WorkloadException {
        String text = text(name, Boolean.toString(defaultValue));
        if (!text.equals("true") && !text.equals("false")) {
            throw invalid(name, text, "true or false", null);
        }
        return text.equals("true");
    }

    private double fraction(String name, double defaultValue) throws WorkloadException {
        String text = text(name, Double.toString(defaultValue));
        try {
            double value = Double.parseDouble(text);
            if (value >= 0 && value <= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw invalid(name, text, "a number from 0 to 1", e);
        }
        throw invalid(name, text, "a number from 0 to 1", null);
    }

    private long whole(String name, long defaultValue, long min, long max) throws WorkloadException {
        String text = text(name, Long.toString(defaultValue));
        String wanted = "a whole number from " + min + " to " + max;
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw invalid(name, text, wanted, e);
        }
        throw invalid(name, text, wanted, null);
    }

    private static WorkloadException invalid(String name, String value, String wanted, Exception cause) {
        String reason = cause == null || cause instanceof NumberFormatException ? "" : ": " + cause.getMessage();
        return new WorkloadException(
                "Property " + name + " must be " + wanted + ", not '" + value + "'" + reason, cause);
    }

    Properties all() {
        return properties;
    }

    TableName table() {
        return table;
    }

    String family() {
        return family;
    }

    /** Returns the scheme of both indexes; empty for a table without indexes. */
    Optional<IndexScheme> scheme() {
        return scheme;
    }

    boolean session() {
        return session;
    }

    /** Returns whether reads by index are checked against the writes of this process. */
    boolean verify() {
        return verify;
    }

    /** Returns whether this is YCSB's load phase. */
    boolean load() {
        return load;
    }

    Distribution distribution() {
        return distribution;
    }

    double proportion(ItemOperation operation) {
        return proportions.get(operation);
    }

    /** Returns the share of all prices that a range read requests. */
    double selectivity() {
        return selectivity;
    }

    /** Returns the length, in bytes, of each column of random bytes. */
    int fieldLength() {
        return fieldLength;
    }

    /** Returns the number of regions with which each table is created. */
    int regions() {
        return regions;
    }

    long recordCount() {
        return recordCount;
    }

    long insertStart() {
        return insertStart;
    }

    long operationCount() {
        return operationCount;
    }
}
