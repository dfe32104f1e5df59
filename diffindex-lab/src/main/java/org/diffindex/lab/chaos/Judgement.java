package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.diffindex.model.IndexScheme;

/**
 * Finds the events of a run that no fault explains. A run that did not exercise the cluster, or in which a process
 * ended by itself, proves nothing about the promises, even if all its answers were right.
 */
final class Judgement {
    /** The number of failures without a success that shows that a kind of fault does not work. */
    private static final int ATTEMPTS = 3;

    /** The number of attempts without a success that shows that a kind of fault finds no target. */
    private static final int CHANCES = 6;

    /** The number of writes of a kind without an acknowledgement that no fault explains; several may be in one call. */
    private static final int WRITES_OF_A_KIND = 10;

    private final ChaosResult result;
    private final List<String> unexplained = new ArrayList<>();

    private Judgement(ChaosResult result) {
        this.result = result;
    }

    /** Returns the findings, one line each. */
    static List<String> of(ChaosResult result) {
        Judgement judgement = new Judgement(result);
        judgement.judgeEnds();
        judgement.judgeFaults();
        judgement.judgeChecks();
        judgement.judgeAnswers();
        return judgement.unexplained;
    }

    private void judgeEnds() {
        result.aborts().stream()
                .filter(Abort::isOurs)
                .forEach(abort -> unexplained.add("no fault explains the abort of a server: " + abort));
        result.deaths()
                .forEach(death -> unexplained.add(
                        "a process ended or hung, and neither a fault nor its log explains it: " + death.text()));
    }

    private void judgeFaults() {
        List<FaultEvent> faults =
                result.faults().stream().filter(FaultEvent::isFault).toList();
        Map<String, List<FaultEvent>> kinds = faults.stream().collect(Collectors.groupingBy(FaultEvent::kind));
        kinds.forEach((kind, events) -> {
            long failed = count(events, FaultEvent.Result.FAILED);
            boolean isHopeless = failed >= ATTEMPTS || events.size() >= CHANCES;
            if (count(events, FaultEvent.Result.DONE) == 0 && isHopeless) {
                unexplained.add("none of " + events.size() + " faults " + kind + " could be applied; the last: "
                        + events.get(events.size() - 1));
            }
        });
        if (count(faults, FaultEvent.Result.DONE) == 0) {
            unexplained.add("no fault was applied");
        }
    }

    private static long count(List<FaultEvent> events, FaultEvent.Result wanted) {
        return events.stream().filter(event -> event.result() == wanted).count();
    }

    private void judgeChecks() {
        int indexes = result.options().schemes().size() * ChaosTable.INDEXES.size();
        long compared = result.comparisons().stream()
                .filter(report -> !report.index().name().equals(ChaosTable.ANOTHER))
                .count();
        if (compared != indexes) {
            unexplained.add("only " + compared + " of " + indexes + " indexes were compared with their tables");
        }
        if (result.tallies().values().stream().allMatch(tally -> tally.builds.sum() == 0)) {
            unexplained.add("no index was built beside the faults");
        }
        if (result.options().schemeChanges()
                && result.tallies().values().stream().allMatch(tally -> tally.schemeChanges.sum() == 0)) {
            unexplained.add("no scheme of an index was changed beside the faults");
        }
        if (result.failedCheckpoints() > 1 && result.failedCheckpoints() >= result.checkpoints()) {
            unexplained.add(result.failedCheckpoints() + " of " + (result.failedCheckpoints() + result.checkpoints())
                    + " checkpoints failed");
        }
    }

    private void judgeWrites(IndexScheme scheme, Tally tally) {
        long acknowledged = tally.writes(Outcome.OK) + tally.writes(Outcome.LATE);
        if (2 * acknowledged <= tally.writes()) {
            unexplained.add("under %s only %,d of %,d writes were acknowledged"
                    .formatted(scheme, acknowledged, tally.writes()));
        }
        for (String kind : tally.kinds()) {
            boolean isAcknowledged = tally.writes(kind, Outcome.OK) + tally.writes(kind, Outcome.LATE) > 0;
            if (tally.writes(kind) >= WRITES_OF_A_KIND && !isAcknowledged) {
                unexplained.add("under %s none of %,d writes of the kind %s was acknowledged"
                        .formatted(scheme, tally.writes(kind), kind));
            }
        }
        if (tally.unindexable.sum() >= CHANCES && tally.rejected.sum() == 0) {
            unexplained.add(
                    "under %s none of %,d unindexable puts was refused".formatted(scheme, tally.unindexable.sum()));
        }
    }

    private void judgeAnswers() {
        result.tallies().forEach((scheme, tally) -> {
            judgeWrites(scheme, tally);
            if (!scheme.readsAcknowledgedWrites() && tally.drains.sum() == 0) {
                unexplained.add("under %s none of %,d drains succeeded".formatted(scheme, tally.failedDrains.sum()));
            }
            long asked = tally.reads.sum() + tally.failedReads.sum();
            if (2 * tally.reads.sum() <= asked) {
                unexplained.add(
                        "under %s only %,d of %,d reads were answered".formatted(scheme, tally.reads.sum(), asked));
            }
            if (tally.must.sum() == 0) {
                unexplained.add("under %s no read had to find a row".formatted(scheme));
            }
            if (scheme.hasSessions() && tally.sessionReads.sum() == 0) {
                unexplained.add("under %s nothing was read in a session".formatted(scheme));
            }
            if (scheme.readsAcknowledgedWrites() && tally.moved.sum() == 0) {
                unexplained.add("under %s no row moved to another region of its index while a read covered both"
                        .formatted(scheme));
            }
        });
    }
}
