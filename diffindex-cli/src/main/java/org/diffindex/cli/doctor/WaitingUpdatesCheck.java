package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Checks whether index updates are delivered within 10 s, and none wait on disk, as far as the regions report it. */
final class WaitingUpdatesCheck implements Check {
    @Override
    public String name() {
        return "waiting-updates";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView table : cluster.baseTables()) {
            if (!table.silence().isEmpty()) {
                findings.add(Finding.problem(
                        this,
                        "table " + table.name() + ": it is not known whether index updates wait: " + table.silence(),
                        "remove the cause, then run: bin/diffindex status " + table.name()));
            } else if (table.enabled() && table.status().isEmpty()) {
                findings.add(Finding.warning(
                        this,
                        "table " + table.name()
                                + ": it is not known whether index updates wait; it was not asked, because"
                                + " a region does not answer or lacks its coprocessor",
                        "follow the other findings on the table, then run: bin/diffindex status " + table.name()));
            }
        }
        List<TableView> known = cluster.baseTables().stream()
                .filter(table -> table.status().isPresent())
                .toList();
        for (TableView table : known) {
            long files = table.status().orElseThrow().spilledFiles();
            if (table.undelivered() > 0 || files > 0) {
                findings.add(Finding.warning(
                        this,
                        "table %s: %,d batches of index updates were not delivered within 10 s, and %,d files on disk wait"
                                .formatted(table.name(), table.undelivered(), files),
                        "check that the index tables are enabled and their servers are running, then run: bin/diffindex drain "
                                + table.name() + "; do not remove files of ROOT/diffindex/spill meanwhile"));
            }
        }
        if (findings.isEmpty() && !known.isEmpty()) {
            findings.add(Finding.ok(this, "index updates are delivered within 10 s, and none wait on disk"));
        }
        return findings;
    }
}
