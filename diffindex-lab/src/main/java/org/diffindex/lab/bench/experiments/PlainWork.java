package org.diffindex.lab.bench.experiments;

import java.util.Arrays;
import java.util.List;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;

/**
 * Plain calls that a client makes in place of an index. The first constant of each kind is the work without an index.
 */
public enum PlainWork {
    /** Puts a row. */
    PUT(Kind.PUTS, Contender.NO_INDEX.label()),

    /** Puts a row and an entry, concurrently. */
    PUT_WITH_ENTRY(Kind.PUTS, "put with entry"),

    /** Puts a row, then an entry. */
    PUT_THEN_ENTRY(Kind.PUTS, "put, then entry"),

    /** Puts a row, then checks whether an entry exists: a call that writes nothing and returns nothing. */
    PUT_THEN_GET(Kind.PUTS, "put, then Get"),

    /** Puts a row, then puts an entry and deletes another, concurrently. */
    PUT_THEN_ENTRIES(Kind.PUTS, "put, then 2 entries"),

    /** Puts a row; a background thread writes its two entries in a batch with those of the surrounding milliseconds. */
    PUT_ENTRIES_LATER(Kind.PUTS, "put, entries later"),

    /** Puts a batch of rows. */
    BATCH(Kind.BATCHES, Contender.NO_INDEX.label()),

    /** Puts a batch of rows, then a batch of mutations: for each row, puts an entry and deletes another. */
    BATCH_THEN_ENTRIES(Kind.BATCHES, "batch, then entries"),

    /** Reads a column of a batch of rows, then does the same as {@link #BATCH_THEN_ENTRIES}. */
    READS_BATCH_ENTRIES(Kind.BATCHES, "Gets, batch, entries"),

    /** Reads a column of a row. */
    GET(Kind.READS, Contender.NO_INDEX.label()),

    /** Reads a column of a row, then that of another. */
    GET_THEN_GET(Kind.READS, "Get, then Get");

    /** A group of works that are compared with each other. */
    enum Kind {
        /** Puts of one row. */
        PUTS("puts"),

        /** Batches of {@link GoalLoads#BATCH_ROWS} rows. */
        BATCHES("batches of 1,000 rows"),

        /** Reads of one row. */
        READS("reads");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Returns the numbers of clients that the goals refer to. */
        List<Integer> clients() {
            return this == PUTS ? List.of(1, 8) : List.of(1);
        }

        /** Returns the constants of this kind, starting with the work without an index. */
        List<PlainWork> works() {
            return Arrays.stream(PlainWork.values())
                    .filter(work -> work.kind == this)
                    .toList();
        }
    }

    private final Kind kind;
    private final String label;

    PlainWork(Kind kind, String label) {
        this.kind = kind;
        this.label = label;
    }

    /** Returns the name in the report. */
    public String label() {
        return label;
    }

    /**
     * Returns whether a goal refers to this work, directly or as the basis of a ratio; other works only explain the
     * figures.
     */
    boolean isOfAGoal() {
        return this != PUT_THEN_ENTRY && this != PUT_THEN_GET && this != BATCH_THEN_ENTRIES;
    }

    /** Returns the work of the same kind without an index. */
    public PlainWork withoutIndex() {
        return kind.works().get(0);
    }

    /** Returns the cell of this work with that many clients. */
    public BenchCell cell(int clients) {
        return new BenchCell(Contender.plain(label), kind.text + ", " + UpdateExperiment.clients(clients), clients);
    }
}
