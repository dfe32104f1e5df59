package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the fault, or the pause of the machine, that explains why a server aborted. */
final class AbortCauses {
    private static final String OURS = "org.diffindex";
    private static final Set<String> STALLS =
            Set.of(FaultKind.STALL_LONG.toString(), FaultKind.STALL_SHORT.toString(), FaultKind.SLOW_SERVER.toString());
    private static final Set<String> STORAGE =
            Set.of(FaultKind.KILL_DATA_NODE.toString(), FaultKind.RESTART_CLUSTER.toString());
    private static final List<String> LOST_SESSION = List.of("YouAreDead", "session expired", "expired from ZooKeeper");
    private static final long AFTERMATH_MILLIS = 90_000;
    private static final int REASON = 400;

    private final List<FaultEvent> faults;

    AbortCauses(List<FaultEvent> faults) {
        this.faults = List.copyOf(faults);
    }

    /** Returns the aborts in the log of a process. */
    List<Abort> of(String process, ServerLog log) {
        return log.aborts().stream()
                .map(entry -> new Abort(process, entry.time(), reason(entry), explanation(process, entry, log)))
                .toList();
    }

    private String explanation(String process, ServerLog.Entry abort, ServerLog log) {
        Optional<FaultEvent> stall = around(abort.millis())
                .filter(event -> STALLS.contains(event.kind())
                        && List.of(event.target().split(" ")).contains(process))
                .findFirst();
        boolean lostSession = LOST_SESSION.stream().anyMatch(abort.text()::contains);
        boolean isOurs = abort.text().contains(OURS);
        if (stall.isPresent() && (lostSession || !isOurs)) {
            return "after " + stall.get().kind();
        }
        if (isOurs) {
            return "";
        }
        Optional<FaultEvent> storage = around(abort.millis())
                .filter(event -> STORAGE.contains(event.kind()))
                .findFirst();
        if (storage.isPresent()) {
            return "after " + storage.get().kind();
        }
        boolean slept =
                log.pauses().stream().anyMatch(pause -> Math.abs(abort.millis() - pause.millis()) < AFTERMATH_MILLIS);
        return lostSession && slept ? "the machine paused the process" : "";
    }

    /** Returns the faults around a time that were applied, at least in part. */
    private Stream<FaultEvent> around(long millis) {
        return faults.stream()
                .filter(event -> event.result() != FaultEvent.Result.SKIPPED)
                .filter(event -> event.beginMillis() <= millis && event.endMillis() + AFTERMATH_MILLIS >= millis);
    }

    private static String reason(ServerLog.Entry abort) {
        String text = abort.text();
        String reason = text.substring(text.indexOf("*****")).replaceAll("\\s+", " ");
        return reason.length() > REASON ? reason.substring(0, REASON) + "..." : reason;
    }
}
