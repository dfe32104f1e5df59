package org.diffindex.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.diffindex.model.EntryFormat;

/** Checks whether index tables keep their tombstones for longer than an update can be in flight. */
final class TombstonesCheck implements Check {
    private static final String KEEP = "hbase.hstore.time.to.purge.deletes";
    private static final Duration LEAST = Duration.ofHours(1);

    @Override
    public String name() {
        return "tombstones";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView table : cluster.indexTables()) {
            EntryFormat.familyOf(table.descriptor())
                    .filter(TombstonesCheck::forgetsEarly)
                    .ifPresent(family -> findings.add(Finding.warning(
                            this,
                            "index table " + table.name() + " keeps its tombstones for " + kept(family)
                                    + " ms: an update that is in flight for longer brings an old entry back",
                            "set " + KEEP + " of its column family to 86400000, a day")));
        }
        if (findings.isEmpty() && !cluster.indexTables().isEmpty()) {
            findings.add(Finding.ok(this, "all index tables keep their tombstones for an hour or more"));
        }
        return findings;
    }

    private static boolean forgetsEarly(ColumnFamilyDescriptor family) {
        return NumericSetting.toDouble(kept(family)) < LEAST.toMillis();
    }

    private static String kept(ColumnFamilyDescriptor family) {
        String kept = family.getConfigurationValue(KEEP);
        return kept == null ? "0" : kept;
    }
}
