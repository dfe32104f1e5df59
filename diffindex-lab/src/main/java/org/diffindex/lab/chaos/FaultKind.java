package org.diffindex.lab.chaos;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The kinds of fault, each with its number of faults per round of a {@link FaultPlan}. */
enum FaultKind {
    /** SIGKILL of a server that holds a region of a base table; it is restarted later. */
    KILL_BASE_SERVER(4, true),
    /** SIGKILL of a server that holds a region of an index table. */
    KILL_INDEX_SERVER(4, true),
    /** SIGKILL of a server that holds a region of a base table, and of another one up to 8 s later. */
    KILL_TWO_SERVERS(3, true),
    /** SIGSTOP of a region server for less than its session timeout. */
    STALL_SHORT(3, true),
    /** SIGSTOP of a region server for more than its session timeout: it is considered dead, and resumes later. */
    STALL_LONG(3, true),
    /** SIGSTOP and SIGCONT of a region server in quick succession, so that it runs for a quarter of the time. */
    SLOW_SERVER(2, true),
    /** SIGKILL of the only master; it is restarted later. */
    KILL_MASTER(2, true),
    KILL_DATA_NODE(2, true),
    /** The clock of a region server jumps ahead by 0.2 to 8 s, and back later. */
    CLOCK_AHEAD(3, true),
    /** The clock of a region server jumps back by 0.2 to 8 s, and ahead later. */
    CLOCK_BACK(3, true),
    /** The clock of a region server jumps ahead and back several times. */
    CLOCK_WANDERS(2, true),
    MOVE_BASE(4, false),
    MOVE_INDEX(4, false),
    SPLIT_BASE(2, false),
    SPLIT_INDEX(2, false),
    MERGE_BASE(2, false),
    MERGE_INDEX(2, false),
    FLUSH(4, false),
    /** A major compaction. */
    COMPACT(2, false),
    /** An index table is disabled for 1 to 10 s. */
    DISABLE_INDEX(2, true),
    /** SIGKILL of all region servers at once. */
    KILL_ALL_SERVERS(1, true),
    /** An orderly restart of the whole cluster. */
    RESTART_CLUSTER(1, false);

    private final int share;
    private final boolean lasting;

    FaultKind(int share, boolean lasting) {
        this.share = share;
        this.lasting = lasting;
    }

    /** Returns the number of faults of this kind per round. */
    int share() {
        return share;
    }

    /** Returns whether a fault of this kind lasts until it is undone, so that another fault can overlap it. */
    boolean isLasting() {
        return lasting;
    }

    /**
     * Returns the kind with a name, as {@link #toString} returns it.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    static FaultKind ofName(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Unknown fault '" + name + "'; the faults are "
                        + Arrays.stream(values()).map(FaultKind::toString).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
