package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.diffindex.server.sim.SimulationFailure.Kind;

/** Checks one read by a synchronous index on the origin against docs/consistency.md. Created when the read begins. */
final class ReadCheck {
    private final Histories histories;
    private final IndexTable index;
    private final String from;
    private final String to;
    private final boolean looksRowsUp;
    private final long begin;
    private final Server server;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** The state of a row when the read began. */
    private record Row(boolean wasCertain, int begun, long certainUntil) {}

    /** A row that was found, with its origin. */
    record Hit(String row, String origin) {}

    /**
     * Creates the check of a read that begins now.
     *
     * @param from the lowest origin that is read
     * @param to the highest origin that is read
     * @param looksRowsUp whether the read returns the origins that rows have when they are looked up
     */
    ReadCheck(Histories histories, IndexTable index, String from, String to, boolean looksRowsUp) {
        this.histories = histories;
        this.index = index;
        this.from = from;
        this.to = to;
        this.looksRowsUp = looksRowsUp;
        this.begin = histories.now();
        this.server = index.server;
        for (String name : histories.names()) {
            RowHistory row = histories.of(name);
            rows.put(name, new Row(row.isCertain(), row.begun(), row.certainUntil(begin)));
        }
    }

    private boolean isInRange(String origin) {
        return origin.compareTo(from) >= 0 && origin.compareTo(to) <= 0;
    }

    /**
     * Checks the result when the read has ended.
     *
     * @param keptStale whether the read ended before a stale entry that was found during it can have been deleted
     */
    void end(List<Hit> hits, boolean keptStale) {
        hits.forEach(hit -> checkIsTrue(hit, hits));
        List<String> still = new ArrayList<>();
        rows.forEach((name, row) -> {
            RowHistory history = histories.of(name);
            List<String> origins = history.since(row.certainUntil);
            boolean isStill = row.wasCertain && row.begun == history.begun() && origins.size() == 1;
            long found = hits.stream().filter(hit -> hit.row.equals(name)).count();
            if (!origins.stream().allMatch(this::isInRange)) {
                return;
            }
            boolean isInPlace = origins.size() == 1; // though it may be written again, or an entry of it be delayed
            if ((isInPlace && found > 1) || (isStill && found != 1)) {
                throw failure("found " + name + " " + found + " times, which was " + origins + " all the time", hits);
            }
            if (isPromised(origins, keptStale) && found == 0) {
                throw failure("missed " + name + ", which was " + origins, hits);
            }
            if (isStill) {
                still.add(name);
            }
        });
        checkOrder(hits.stream().filter(hit -> still.contains(hit.row)).toList());
    }

    /** Returns whether a row that moves within the range must be found. */
    private boolean isPromised(List<String> origins, boolean keptStale) {
        boolean asOfOneMoment = !index.regions.areSeveral() && index.server == server;
        return asOfOneMoment || (index.definition.scheme().leavesStaleEntries() ? keptStale : origins.size() <= 2);
    }

    private void checkIsTrue(Hit hit, List<Hit> hits) {
        long since = looksRowsUp ? begin : rows.get(hit.row).certainUntil;
        Set<String> origins = histories.of(hit.row).distinctSince(since);
        if (!isInRange(hit.origin) || !origins.contains(hit.origin)) {
            throw failure("found " + hit + ", which was " + origins, hits);
        }
    }

    private void checkOrder(List<Hit> hits) {
        List<String> origins = hits.stream().map(hit -> hit.origin + hit.row).toList();
        List<String> sorted = new ArrayList<>(origins);
        Collections.sort(sorted);
        if (!sorted.equals(origins)) {
            throw failure("found rows that did not change out of order", hits);
        }
    }

    private SimulationFailure failure(String what, List<Hit> hits) {
        return new SimulationFailure(
                Kind.READ,
                "A read of " + index.definition.name() + " from " + from + " to " + to + " " + what + "; it found "
                        + hits);
    }
}
