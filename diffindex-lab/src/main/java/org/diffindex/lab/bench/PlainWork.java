package org.diffindex.lab.bench;

import java.util.Arrays;
import java.util.List;

/** Plain calls of a client in place of an index. The first work of a kind is that of a client without index. */
enum PlainWork {
    /** Puts a row. */
    PUT(Kind.PUTS, Contender.NO_INDEX.label()),

    /** Puts a row, and an entry at the same time. */
    PUT_WITH_ENTRY(Kind.PUTS, "put with entry"),

    /** Puts a row, then an entry. */
    PUT_THEN_ENTRY(Kind.PUTS, "put, then entry"),

    /** Puts a row, then asks whether an entry is there: a call that writes and returns nothing. */
    PUT_THEN_GET(Kind.PUTS, "put, then Get"),

    /** Puts a row, then puts an entry and deletes another at the same time. */
    PUT_THEN_ENTRIES(Kind.PUTS, "put, then 2 entries"),

    /** Puts a row, and leaves its two entries to a thread that writes those of some milliseconds in one batch. */
    PUT_ENTRIES_LATER(Kind.PUTS, "put, entries later"),

    /** Puts many rows in a batch. */
    BATCH(Kind.BATCHES, Contender.NO_INDEX.label()),

    /** Puts many rows in a batch; then, for each, puts an entry and deletes another, in a batch. */
    BATCH_THEN_ENTRIES(Kind.BATCHES, "batch, then entries"),

    /** Reads a column of many rows, then does the same. */
    READS_BATCH_ENTRIES(Kind.BATCHES, "Gets, batch, entries"),

    /** Reads a column of a row. */
    GET(Kind.READS, Contender.NO_INDEX.label()),

    /** Reads a column of a row, then that of another. */
    GET_THEN_GET(Kind.READS, "Get, then Get");

    /** Works that are compared with each other. */
    enum Kind {
        /** One row at a time. */
        PUTS("puts"),

        /** Of {@link BatchExperiment#BATCH} rows. */
        BATCHES("batches of 1,000 rows"),

        /** Of one row. */
        READS("reads");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The numbers of clients that the goals speak of. */
        List<Integer> clients() {
            return this == PUTS ? List.of(1, 8) : List.of(1);
        }

        /** The works of this kind, no index first. */
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

    /** How the report calls it. */
    String label() {
        return label;
    }

    /** Whether it stands beside a goal, or is what such a work is compared with; else it only explains the others. */
    boolean isOfAGoal() {
        return this != PUT_THEN_ENTRY && this != PUT_THEN_GET && this != BATCH_THEN_ENTRIES;
    }

    /** What it is compared with. */
    PlainWork withoutIndex() {
        return kind.works().get(0);
    }

    /** What is measured with so many clients. */
    Cell cell(int threads) {
        return new Cell(Contender.plain(label), kind.text + ", " + UpdateExperiment.threads(threads), threads);
    }
}
