package org.diffindex.lab.bench.experiments;

/**
 * How an experiment is run, apart from what it measures. Immutable.
 *
 * @param warmUp what runs before the measured rounds
 * @param tables the tables that the rounds use
 * @param mostRounds the maximum number of measured rounds, whatever was asked for
 */
public record Procedure(WarmUp warmUp, Tables tables, int mostRounds) {
    /** The rounds that are run and discarded, to compile the code and fill the caches. */
    public enum WarmUp {
        /** No round. */
        NONE,
        /** One shorter round. */
        ONCE,
        /** Shorter rounds until the figures settle; one in a quick run. */
        UNTIL_SETTLED
    }

    /** The tables of an experiment. */
    public enum Tables {
        /** Those that {@link BenchTables} shares between experiments, as the last one left them. */
        SHARED,
        /**
         * The shared ones, flushed and compacted first, so that reads find all of them in the same state: a faster
         * contender has written more. Not compacted in a quick run.
         */
        SHARED_COMPACTED,
        /** Those that it creates itself. */
        OWN
    }

    /** One warm-up round, the shared tables, and as many rounds as asked for. */
    static final Procedure USUAL = new Procedure(WarmUp.ONCE, Tables.SHARED, Integer.MAX_VALUE);

    /** {@link #USUAL}, with warm-up rounds until the figures settle. */
    static final Procedure SETTLED = USUAL.with(WarmUp.UNTIL_SETTLED);

    Procedure with(WarmUp other) {
        return new Procedure(other, tables, mostRounds);
    }

    Procedure with(Tables others) {
        return new Procedure(warmUp, others, mostRounds);
    }

    Procedure withMostRounds(int rounds) {
        return new Procedure(warmUp, tables, rounds);
    }

    public boolean warmsUp() {
        return warmUp != WarmUp.NONE;
    }

    public boolean usesSharedTables() {
        return tables != Tables.OWN;
    }

    /** Returns how many measured rounds run of those asked for. */
    public int rounds(int asked) {
        return Math.min(asked, mostRounds);
    }
}
