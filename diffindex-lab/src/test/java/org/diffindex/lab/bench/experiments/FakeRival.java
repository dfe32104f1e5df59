package org.diffindex.lab.bench.experiments;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.Rival;
import org.diffindex.lab.bench.rivals.RivalClient;
import org.diffindex.lab.bench.rivals.RivalGoal;
import org.diffindex.lab.bench.rivals.RivalTable;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;

/** A rival that keeps its rows in memory. */
public final class FakeRival implements Rival {
    public static final Contender PLAIN = Contender.plain("fake, no index");
    public static final Contender INDEXED = Contender.plain("fake, indexed");

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public Map<String, String> facts() {
        return Map.of("fake", "7.0");
    }

    @Override
    public Map<String, String> siteProperties() {
        return Map.of("fake.codec", "Fake");
    }

    @Override
    public List<Contender> contenders() {
        return List.of(PLAIN, INDEXED);
    }

    @Override
    public List<RivalGoal> goals() {
        return List.of(
                new RivalGoal("put p50 / fake", "update", 1, Measurement.P50, Results.FULL, INDEXED, 3),
                new RivalGoal("puts/s / fake", "update", 8, Measurement.PER_SECOND, Results.FULL, INDEXED, 3));
    }

    @Override
    public RivalTable table(Contender contender, Configuration cluster) {
        return new FakeTable(contender.equals(INDEXED));
    }

    /** A table of rows by row key. Thread-safe, since several clients load it. */
    static final class FakeTable implements RivalTable {
        final NavigableMap<String, String> titles = new ConcurrentSkipListMap<>();
        final List<String> splits = new ArrayList<>();
        final boolean indexed;
        final AtomicInteger openClients = new AtomicInteger();

        FakeTable(boolean indexed) {
            this.indexed = indexed;
        }

        @Override
        public List<TableName> hbaseTables() {
            return List.of(TableName.valueOf("FAKE"), TableName.valueOf("FAKE_INDEX"));
        }

        @Override
        public void create(List<String> at) {
            titles.clear();
            splits.addAll(at);
        }

        @Override
        public RivalClient open() {
            int unused = openClients.incrementAndGet();
            return new FakeClient(this);
        }
    }

    private record FakeClient(FakeTable table) implements RivalClient {
        @Override
        public void put(ItemRow row) {
            table.titles.put(row.key(), row.title());
        }

        @Override
        public void put(List<ItemRow> rows) {
            rows.forEach(this::put);
        }

        private NavigableMap<String, Hit> hits() {
            Map<String, Hit> hits = new LinkedHashMap<>();
            table.titles.forEach((key, title) -> hits.put(table.indexed ? title : key, new Hit(key, title)));
            return new TreeMap<>(hits);
        }

        @Override
        public List<Hit> read(String key, String title) {
            Hit hit = hits().get(table.indexed ? title : key);
            return hit == null ? List.of() : List.of(hit);
        }

        @Override
        public int range(String from, int most) {
            return Math.min(most, hits().tailMap(from).size());
        }

        @Override
        public void close() {
            int unused = table.openClients.decrementAndGet();
        }
    }
}
