package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.row;
import static org.diffindex.server.local.Flights.rowKey;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests how writes and readers share the slots of the row memory. */
class PresentRowsTest {
    private static final long BEFORE = 7;
    private static final Cell ORD = Flights.cell("r", "origin", "ORD", 100);

    /** A write that is visible to readers has perhaps not forgotten its row yet. */
    @Test
    void whatAReaderSawAfterAWriteIsNotWhatTheRowShowedBeforeIt() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        memory.reserveToRead(rowKey("r")).fill(List.of(ORD), BEFORE + 1);
        assertThat(memory.known(rowKey("r"))).contains(List.of(ORD));
        assertThat(memory.take(row("r"), BEFORE)).isEmpty();
        memory.reserveToRead(rowKey("r")).fill(List.of(ORD), BEFORE);
        assertThat(memory.take(row("r"), BEFORE)).contains(List.of(ORD));
    }

    @Test
    void aReaderDoesNotReplaceWhatAWriteLeft() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        RowMemory.Slot early = memory.reserveToRead(rowKey("r"));
        memory.forget(row("r"));
        memory.remember(row("r"), List.of(ORD));
        early.fill(List.of(), 1);
        memory.reserveToRead(rowKey("r")).fill(List.of(), 1);
        assertThat(memory.known(rowKey("r"))).contains(List.of(ORD));
    }

    /** A write reserves a slot for the case that it reads the row, and often does not. */
    @Test
    void aReaderFillsTheSlotThatAWriteLeftEmpty() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        RowMemory.Slot ofWrite = memory.reserve(row("r"));
        memory.reserveToRead(rowKey("r")).fill(List.of(ORD), 1);
        assertThat(memory.known(rowKey("r"))).contains(List.of(ORD));
        ofWrite.fill(List.of());
        assertThat(memory.known(rowKey("r"))).as("after the write's own read").contains(List.of(ORD));
    }

    @Test
    void aReaderDoesNotFillTheSlotOfAWriteThatAnotherOneFollowed() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        memory.reserve(row("r"));
        RowMemory.Slot slot = memory.reserveToRead(rowKey("r"));
        memory.forget(row("r"));
        memory.reserve(row("r"));
        slot.fill(List.of(ORD), 1);
        assertThat(memory.known(rowKey("r"))).isEmpty();
    }

    @Test
    void readersShareASlot() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        RowMemory.Slot one = memory.reserveToRead(rowKey("r"));
        RowMemory.Slot other = memory.reserveToRead(rowKey("r"));
        other.fill(List.of(ORD), 1);
        one.fill(List.of(), 2);
        one.giveUp();
        assertThat(memory.known(rowKey("r"))).contains(List.of(ORD));
    }

    @Test
    void aReaderThatGivesUpLeavesOnlyWhatAnotherHasFilled() {
        RowMemory.Shared shared = new RowMemory.Shared(10_000);
        RowMemory memory = new RowMemory(shared, new LongAdder());
        memory.reserveToRead(rowKey("r")).giveUp();
        assertThat(shared.bytes()).isZero();
        RowMemory.Slot slot = memory.reserveToRead(rowKey("r"));
        slot.fill(List.of(ORD), 1);
        slot.giveUp();
        memory.reserveToRead(rowKey("r")).giveUp();
        assertThat(memory.known(rowKey("r"))).contains(List.of(ORD));
    }
}
