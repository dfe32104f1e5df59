package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;

/** Reads one base row, whose states are given by sequence number, and records the reads. */
final class HistoryReader implements RowReader {
    private final TreeMap<Long, List<Cell>> states = new TreeMap<>();
    final List<Long> reads = new ArrayList<>();

    HistoryReader state(long sequence, Cell... visible) {
        states.put(sequence, Arrays.asList(visible));
        return this;
    }

    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        reads.add(sequence);
        Map.Entry<Long, List<Cell>> state = states.floorEntry(sequence);
        return state == null ? List.of() : state.getValue();
    }
}
