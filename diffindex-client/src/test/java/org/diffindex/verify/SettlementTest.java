package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.junit.jupiter.api.Test;

class SettlementTest {
    private static final int KEY_BYTES = 10_000;

    private static Sight missing(int row) {
        byte[] key = new byte[KEY_BYTES];
        return new Sight(
                Difference.MISSING,
                Optional.of(Bytes.toBytes(row)),
                Optional.empty(),
                Optional.of(new IndexEntry(key, 1)));
    }

    private static List<Sight> missing(int from, int to) {
        List<Sight> sights = new ArrayList<>();
        for (int row = from; row < to; row++) {
            sights.add(missing(row));
        }
        return sights;
    }

    @Test
    void boundsItsMemoryHoweverLongTheKeysAre() throws IOException {
        IndexDefinition definition = IndexDefinition.builder(TableName.valueOf("t"), "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .build();
        MemoryTables tables = new MemoryTables(definition);
        List<Duration> waits = new ArrayList<>();
        Looks looks = new Looks(tables, new EntryJudge(definition), InstantSource.system());
        ScrubReportDraft report = new ScrubReportDraft(definition, 0);
        SecondLooks second = new SecondLooks(tables, looks, ScrubOptions.DEFAULT, waits::add);
        Settlement settlement = new Settlement(
                second, new RepairTurns(tables, second, report), report, ScrubOptions.DEFAULT, 20 * KEY_BYTES);
        settlement.add(missing(0, 15));
        assertThat(waits).isEmpty();
        settlement.add(missing(15, 65));
        assertThat(waits).as("settled 20 at a time").hasSize(3);
    }

    @Test
    void repairsFewRowsPerCallIfTheirKeysAreLong() {
        List<Sight> sights = missing(0, 1_000);
        List<List<Sight>> pages = Place.pagesToRepair(sights);
        assertThat(pages).hasSizeBetween(9, 11).allMatch(page -> page.size() * KEY_BYTES <= 1 << 20);
        assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(sights);
    }

    @Test
    void splitsManyRepairsIntoSeveralCalls() {
        Sight small = new Sight(
                Difference.MISSING,
                Optional.of(new byte[1]),
                Optional.empty(),
                Optional.of(new IndexEntry(new byte[1], 1)));
        assertThat(Place.pagesToRepair(Collections.nCopies(1_001, small)))
                .extracting(List::size)
                .containsExactly(500, 500, 1);
        assertThat(Place.pagesToRepair(List.of())).isEmpty();
    }
}
