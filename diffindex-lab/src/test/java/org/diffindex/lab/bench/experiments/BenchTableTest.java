package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.Test;

class BenchTableTest {
    private final BenchTable table = new BenchTable(Results.FULL, "", 1_000, 4, 3);

    @Test
    void everyWriteGivesTheItemATitleThatItNeverHad() {
        Set<String> titles = new HashSet<>(List.of(Bytes.toString(table.title(7))));
        for (int i = 0; i < 5; i++) {
            Put put = table.nextVersion(7, new Random(1));
            byte[] title = CellUtil.cloneValue(
                    put.get(BenchTable.FAMILY, Bytes.toBytes(Items.TITLE)).get(0));
            assertThat(title).as("current title that the table knows").isEqualTo(table.title(7));
            assertThat(titles.add(Bytes.toString(title))).isTrue();
        }
        assertThat(table.title(8)).as("another item").isEqualTo(Items.titleBytes(8, 0));
    }

    @Test
    void aRowMayOnlyHaveATitleOfItsItemAndOnlyTheCurrentOneIfThatIsKnown() {
        Put unused = table.nextVersion(7, new Random(1));
        byte[] row = BenchTable.key(7);
        assertThat(table.mayContain(table.title(7), row)).isTrue();
        assertThat(table.mayContain(Items.titleBytes(7, 0), row))
                .as("old title")
                .isFalse();
        assertThat(table.mayContain(table.title(8), row))
                .as("title of another row")
                .isFalse();
        for (String none : List.of("", "x", "a-b-c", "0-7-1", "0-7-1-1")) {
            assertThat(table.mayContain(Bytes.toBytes(none), row)).as(none).isFalse();
        }
        int skewed = table.rows() - 1;
        assertThat(table.mayContain(Items.titleBytes(skewed, 5), BenchTable.key(skewed)))
                .as("title of an item that several clients write")
                .isTrue();
    }

    @Test
    void aRowHasAllColumnsAndNearlyOneKilobyteOfValues() {
        Put put = table.nextVersion(3, new Random(1));
        assertThat(put.getRow()).isEqualTo(BenchTable.key(3));
        assertThat(put.size()).isEqualTo(BenchTable.COLUMNS);
        long bytes = put.getFamilyCellMap().get(BenchTable.FAMILY).stream()
                .mapToLong(Cell::getValueLength)
                .sum();
        assertThat(bytes).isBetween(800L, 1_000L);
    }

    @Test
    void theIndexesAreThoseOfTheContenderAndTheFirstIsByTitle() {
        assertThat(table.definitions())
                .extracting(IndexDefinition::name)
                .hasSize(BenchTable.MOST_INDEXES)
                .doesNotHaveDuplicates()
                .startsWith(BenchTable.BY_TITLE);
        assertThat(table.definitions())
                .extracting(IndexDefinition::scheme)
                .containsOnly(Results.FULL.scheme().get());
        assertThat(new BenchTable(Results.ASYNC, "", 10, 1, 1).definitions()).hasSize(1);
        assertThat(new BenchTable(Contender.NO_INDEX, "", 10, 4, 1).definitions())
                .isEmpty();
    }

    @Test
    void tablesOfDifferentContendersAndPurposesHaveDifferentNames() {
        Set<String> names = new HashSet<>();
        for (Contender contender : Results.options(10).contenders()) {
            for (String suffix : List.of("", "_scan")) {
                names.add(new BenchTable(contender, suffix, 10, 1, 1).name().getNameAsString());
            }
        }
        assertThat(names).hasSize(10).allMatch(name -> name.startsWith(BenchTables.NAMESPACE + ":"));
    }

    @Test
    void noTwoClientsChooseTheSameEvenItem() {
        Map<Integer, Integer> ownerOf = new HashMap<>();
        for (int client = 0; client < 3; client++) {
            IntSupplier choice = ItemChoice.even(table, 3, client, new Random(client));
            for (int i = 0; i < 2_000; i++) {
                int item = choice.getAsInt();
                assertThat(item).isBetween(0, table.evenItems() - 1);
                assertThat(ownerOf.merge(item, client, (before, now) -> before)).isEqualTo(client);
            }
        }
        assertThat(ownerOf).as("chosen items").hasSizeGreaterThan(800);
    }

    @Test
    void skewedChoicesStayAmongTheLastTenthAndPreferAFew() {
        IntSupplier choice = ItemChoice.skewed(table, 8, 0, new Random(1));
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            counts.merge(choice.getAsInt(), 1, Integer::sum);
        }
        assertThat(counts.keySet()).allMatch(item -> item >= table.evenItems() && item < table.rows());
        assertThat(counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow())
                .as("choices of the favourite, far more than one in a hundred")
                .isGreaterThan(500);
    }

    @Test
    void aBatchHasAThousandDistinctItemsEvenAtTheEndOfTheTable() {
        BenchTable small = new BenchTable(Results.FULL, "", 2_000, 1, 3);
        for (int seed = 0; seed < 20; seed++) {
            IntStream items = BatchExperiment.items(small, new Random(seed));
            assertThat(items.boxed().toList())
                    .hasSize(GoalLoads.BATCH_ROWS)
                    .doesNotHaveDuplicates()
                    .allMatch(item -> item < small.evenItems());
        }
    }

    /** Plain calls are comparable with an index only if their entries are alike. */
    @Test
    void aPlainEntryIsLikeTheEntryOfTheIndex() throws Exception {
        byte[] title = Items.titleBytes(7, 0);
        byte[] row = BenchTable.key(7);
        IndexKeyCodec codec = new IndexKeyCodec(table.definitions().get(0));
        byte[] key = EntryTable.key(title, row);
        assertThat(key).isEqualTo(codec.encode(List.of(title), row));
        Put put = EntryTable.put(title, row);
        Delete delete = EntryTable.delete(title, row);
        assertThat(put.getRow()).isEqualTo(delete.getRow()).isEqualTo(key);
        assertThat(put.has(EntryFormat.FAMILY, EntryFormat.QUALIFIER)).isTrue();
    }

    @Test
    void theChoicesOfAClientDependOnTheRoundAndNotOnTheContender() {
        Bench bench = new Bench(null, null, Results.options(1_000), null);
        int first = bench.random("update", "8 clients", 1, 2).nextInt();
        assertThat(bench.random("update", "8 clients", 1, 2).nextInt()).isEqualTo(first);
        assertThat(List.of(
                        bench.random("read", "8 clients", 1, 2).nextInt(),
                        bench.random("update", "1 client", 1, 2).nextInt(),
                        bench.random("update", "8 clients", 2, 2).nextInt(),
                        bench.random("update", "8 clients", 1, 3).nextInt()))
                .doesNotContain(first)
                .doesNotHaveDuplicates();
    }
}
