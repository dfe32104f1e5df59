package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.commons.io.file.PathUtils;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.LoggedErrors;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.local.WithoutHadoopDefaults;
import org.diffindex.server.sequences.Sequences.Sequence;

/**
 * Runs sequences one after the other, several on one table: creating a table takes longer than most sequences, and a
 * used one has files and tombstones. Each has its own rows, and begins when all timestamps of those before it are past.
 * A sequence that fails is run again on a new table. {@code -Ddiffindex.sequences.per.table=N} sets how many share a
 * table.
 */
public final class SequenceRuns implements AutoCloseable {
    /**
     * The time at which each table begins. Files must not look days old, or a compaction would drop sequence numbers.
     */
    private static final long START = 1_700_000_000_000L;

    /** The time between two sequences, later than the latest timestamp of a sequence. */
    private static final long APART_MS = TimeUnit.DAYS.toMillis(2);

    /** The largest number of sequences on one table. */
    private static final int ON_ONE_TABLE = Integer.getInteger("diffindex.sequences.per.table", 20);

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private static final long ENOUGH_BYTES = 1L << 30;

    private final WithoutHadoopDefaults loader = WithoutHadoopDefaults.install();
    private final ManualClock clock = ManualClock.install(START);
    private final Map<TableShape, Used> tables = new EnumMap<>(TableShape.class);

    /** The internal errors that were logged and have not failed the run yet. */
    private final List<AssertionError> errors = Collections.synchronizedList(new ArrayList<>());

    private final LoggedErrors log =
            LoggedErrors.sentTo((message, error) -> errors.add(new AssertionError("It was logged: " + message, error)));

    private final Census census = new Census();

    /** The number of runs so far; a sequence that was run twice counts twice. */
    private int begun;

    /** The number of sequences so far. */
    private int count;

    /** A table, the sequences that ran on it, and its time. */
    private static final class Used {
        final List<Sequence> sequences = new ArrayList<>();
        private final ManualClock clock;
        private final Path folder;
        private final FakeConnection network;
        private final LocalTable table;
        private final List<String> rows = new ArrayList<>();
        private final List<String> unsteady = new ArrayList<>();
        private long now = START;

        Used(TableShape shape, ManualClock clock) throws IOException {
            this.clock = clock;
            this.folder = Files.createTempDirectory(inMemory(), "model");
            this.network = new FakeConnection();
            clock.set(now);
            this.table = shape.open(folder, clock, network);
        }

        void run(Sequence sequence, String rowPrefix) throws IOException {
            clock.set(START + sequences.size() * APART_MS);
            sequences.add(sequence);
            SequenceRun run = new SequenceRun(sequence.shape(), table, network.faults, clock, rowPrefix);
            rows.addAll(run.rows());
            run.run(sequence.steps(), sequence.clientsGiveTimes());
            unsteady.addAll(run.unsteadyRows());
            now = clock.millis();
        }

        boolean canBeUsedAgain() {
            return sequences.size() < ON_ONE_TABLE && table.regions().size() == 1;
        }

        /** Compares the entries of all rows after the last sequence, including those of earlier sequences. */
        void compareAll() throws IOException {
            clock.set(now);
            for (IndexDefinition index : table.indexes()) {
                NavigableSet<String> expected = ofSteadyRows(LocalTable.expected(index, table.visible(rows)));
                NavigableSet<String> actual = ofSteadyRows(table.entries(index));
                if (index.scheme().leavesStaleEntries()) {
                    assertThat(actual).as("all of %s", index.name()).containsAll(expected);
                } else {
                    assertThat(actual).as("all of %s", index.name()).isEqualTo(expected);
                }
            }
        }

        private NavigableSet<String> ofSteadyRows(NavigableSet<String> entries) {
            entries.removeIf(entry -> unsteady.stream().anyMatch(entry.substring(0, entry.lastIndexOf('@'))::endsWith));
            return entries;
        }

        void close() throws IOException {
            network.faults.connectionClosed();
            table.close();
            delete(folder);
        }

        /** Returns the folder in which a table's many small files are created and removed fastest. */
        private static Path inMemory() throws IOException {
            boolean usable = Files.isWritable(SHARED_MEMORY)
                    && Files.getFileStore(SHARED_MEMORY).getUsableSpace() >= ENOUGH_BYTES;
            return usable ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        }

        /** Deletes a folder. A server that is stopped may still be removing a file of its own. */
        private static void delete(Path folder) {
            Waiting.until("the folder is removed", () -> {
                try {
                    PathUtils.deleteDirectory(folder);
                    return true;
                } catch (NoSuchFileException | DirectoryNotEmptyException e) {
                    return !Files.exists(folder);
                }
            });
        }
    }

    /** Returns how often each kind of step occurred in the sequences. */
    public Census census() {
        return census;
    }

    /**
     * Runs a sequence. A failure is attributed to the sequence alone if it also fails on a new table. Fails without
     * running it if an internal error was logged since the sequence before it.
     */
    public void run(Sequence sequence) throws IOException {
        requireNoErrors();
        count++;
        census.add("table: " + sequence.shape());
        sequence.steps().forEach(this::count);
        Used used = tables.remove(sequence.shape());
        if (used == null) {
            runOn(new Used(sequence.shape(), clock), sequence);
            return;
        }
        List<Sequence> before = List.copyOf(used.sequences);
        try {
            runOn(used, sequence);
        } catch (AssertionError | IOException | RuntimeException e) {
            runOn(new Used(sequence.shape(), clock), sequence);
            throw new AssertionError(
                    "The sequence fails, but not on a new table. It is number " + count
                            + " of this run; to reproduce it, make as long a run"
                            + " with the seed that is printed below. These ran on its table before:\n"
                            + before.stream().map(Sequence::toString).collect(Collectors.joining("\n")),
                    e);
        }
    }

    private void count(Step step) {
        census.add((step instanceof Step.Write ? "write: " : "fault or upkeep: ") + step.kind());
        step.parts().forEach(part -> census.add("part of a write: " + part.kind()));
    }

    private void runOn(Used used, Sequence sequence) throws IOException {
        begun++;
        boolean passed = false;
        try {
            used.run(sequence, "s" + begun + "r");
            requireNoErrors();
            passed = true;
        } finally {
            if (!passed) {
                used.close();
                errors.clear(); // the sequence has failed already
            }
        }
        if (used.canBeUsedAgain()) {
            tables.put(sequence.shape(), used);
        } else {
            end(used);
        }
    }

    private void end(Used used) throws IOException {
        try {
            used.compareAll();
        } finally {
            used.close();
        }
        requireNoErrors();
    }

    /** Requires that the code under test had no internal error, even if it has tried again and succeeded. */
    private void requireNoErrors() {
        if (!errors.isEmpty()) {
            AssertionError first = errors.get(0);
            errors.clear();
            throw first;
        }
    }

    /** Compares all entries of the tables and closes them; what the code under test logs meanwhile counts too. */
    @Override
    public void close() throws IOException {
        try {
            for (Used used : tables.values()) {
                end(used);
            }
            requireNoErrors();
        } finally {
            log.close();
            clock.close();
            loader.close();
        }
    }
}
