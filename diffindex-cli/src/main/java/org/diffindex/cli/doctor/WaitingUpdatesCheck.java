package org.diffindex.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.diffindex.client.IndexStatus;

/** Whether index updates wait for longer than a busy table's do, or on disk. */
final class WaitingUpdatesCheck implements Check {
    private static final Duration LONG = Duration.ofSeconds(10);

    @Override
    public String name() {
        return "waiting-updates";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        List<IndexStatus> known = cluster.baseTables().stream()
                .map(TableView::status)
                .flatMap(Optional::stream)
                .toList();
        for (IndexStatus status : known) {
            if (status.spilledFiles() > 0 || status.oldestAge().compareTo(LONG) > 0) {
                findings.add(Finding.warning(
                        this,
                        "of " + status.table()
                                + " %,d rows wait for their indexes, the oldest for %,d s, and more in %,d files on disk"
                                        .formatted(
                                                status.queued(),
                                                status.oldestAge().toSeconds(),
                                                status.spilledFiles()),
                        "look whether the index tables are enabled and their servers up; then bin/diffindex drain "
                                + status.table() + "; lose no file of ROOT/diffindex/spill meanwhile"));
            }
        }
        if (findings.isEmpty() && !known.isEmpty()) {
            findings.add(Finding.ok(this, "no index update waits for long, or on disk"));
        }
        return findings;
    }
}
