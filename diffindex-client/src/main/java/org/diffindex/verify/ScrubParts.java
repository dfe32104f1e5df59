package org.diffindex.verify;

import java.time.InstantSource;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.Pace;
import org.diffindex.tasks.Waiting;

/**
 * The parts of every comparison of an index with its base table, whichever rows it covers.
 *
 * @param tables the two tables, read no faster than the options say
 * @param judge decides what entry a row should have
 * @param looks looks at rows and entries again
 * @param report receives what is found
 * @param settlement settles differences, and repairs them if the options say so
 */
record ScrubParts(ScrubTables tables, EntryJudge judge, Looks looks, ScrubReportDraft report, Settlement settlement) {
    /** The most bytes of differences that are kept until they are looked at again. */
    private static final long PENDING_BYTES = 64 << 20;

    /** Creates the parts of a comparison. */
    static ScrubParts of(
            ScrubTables unpaced,
            IndexDefinition definition,
            ScrubOptions options,
            Waiting waiting,
            InstantSource clock) {
        ScrubTables tables = options.rowsPerSecond() == 0
                ? unpaced
                : new PacedTables(unpaced, new Pace(options.rowsPerSecond(), System::nanoTime, waiting));
        EntryJudge judge = new EntryJudge(definition);
        Looks looks = new Looks(tables, judge, clock);
        ScrubReportDraft report = new ScrubReportDraft(definition, options.samples());
        SecondLooks secondLooks = new SecondLooks(tables, looks, options, waiting);
        Settlement settlement = new Settlement(
                secondLooks, new RepairTurns(tables, secondLooks, report), report, options, PENDING_BYTES);
        return new ScrubParts(tables, judge, looks, report, settlement);
    }
}
