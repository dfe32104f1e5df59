package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;

/**
 * Compares random queries, under every scheme, with an evaluation of their conditions in memory, while rows change between
 * them: whole, and page by page with tokens that go to other clients, while regions of the index split and merge. Beside
 * entries that are not delivered, compares the pages with one scan.
 */
class QueryDifferenceTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final byte[] CITY = Bytes.toBytes("city");
    private static final byte[] AGE = Bytes.toBytes("age");
    private static final List<String> CITIES = List.of("", "A", "A\0", "A\0B", "AA", "AB", "B", "BA", "C\u00e9");
    private static final List<String> BORDERS = List.of("A", "A\0", "AA\0\1", "B\0\1\u0001", "BA", "C");
    private static final IndexDefinition BY_CITY_AGE = IndexDefinition.builder(TABLE, "by_city_age")
            .column("f", "city", ColumnTypes.STRING)
            .column("f", "age", ColumnTypes.INT)
            .build();
    private static final IndexKeyCodec KEYS = new IndexKeyCodec(BY_CITY_AGE);
    private static final int OLDEST = 4;
    private static final int ROWS = 25;
    private static final int QUERIES = 8;

    /** A row of the table, as the index shows it. */
    private record Person(String city, int age, String row) {
        static final Comparator<Person> ORDER = Comparator.comparing(
                        (Person person) -> Bytes.toBytes(person.city), Bytes.BYTES_COMPARATOR)
                .thenComparingInt(Person::age)
                .thenComparing(Person::row);
    }

    private final TreeMap<String, Person> people = new TreeMap<>();
    private Random random;
    private FakeHBase hbase;

    @Property(tries = 120)
    void aQueryReturnsExactlyTheRowsThatMeetItsConditions(@ForAll Random chosen) throws IOException {
        List<IndexScheme> schemes = List.of(IndexScheme.values());
        begin(chosen, schemes.get(chosen.nextInt(schemes.size())));
        for (int i = 0; i < QUERIES; i++) {
            for (int writes = random.nextInt(10); writes > 0; writes--) {
                hbase.write(write());
            }
            hbase.deliverAll();
            try (IndexedTable table = new IndexedTable(hbase.connection, TABLE)) {
                compare(table::getByIndex);
            }
        }
    }

    /** The index lacks some of the session's writes. */
    @Property(tries = 60)
    void aSessionSeesExactlyItsOwnWritesAsWell(@ForAll Random chosen) throws IOException {
        begin(chosen, IndexScheme.ASYNC_SESSION);
        hbase.deliverAll();
        try (IndexedTable table = new IndexedTable(hbase.connection, TABLE);
                Session session = new Session(
                        table, hbase.connection.getTable(TABLE), SessionOptions.DEFAULT, remembered -> false)) {
            for (int i = 0; i < QUERIES; i++) {
                for (int writes = random.nextInt(10); writes > 0; writes--) {
                    Mutation write = write();
                    if (write instanceof Put put) {
                        session.put(put);
                    } else {
                        session.delete((Delete) write);
                    }
                }
                while (!hbase.queue.isEmpty() && random.nextInt(4) > 0) {
                    hbase.deliver(hbase.queue.remove(random.nextInt(hbase.queue.size())));
                }
                compare(session::getByIndex);
            }
        }
    }

    /**
     * The index lacks the entries of some writes. A row whose present entry it has is on exactly one page; each row that one
     * scan finds, by whichever of its entries, is on a page.
     */
    @Property(tries = 200)
    void thePagesHaveTheRowsOfOneScanBesideUndeliveredEntries(@ForAll Random chosen) throws IOException {
        List<IndexScheme> schemes = List.of(IndexScheme.values());
        begin(chosen, schemes.get(chosen.nextInt(schemes.size())));
        hbase.deliverAll();
        hbase.holds = true;
        for (int i = 0; i < QUERIES; i++) {
            for (int writes = random.nextInt(10); writes > 0; writes--) {
                hbase.write(write());
            }
            while (!hbase.queue.isEmpty() && random.nextInt(3) > 0) {
                hbase.deliver(hbase.queue.remove(random.nextInt(hbase.queue.size())));
            }
            try (IndexedTable table = new IndexedTable(hbase.connection, TABLE)) {
                comparePagesWithOneScan(table::getByIndex);
            }
        }
    }

    private void comparePagesWithOneScan(Opening opening) throws IOException {
        Question question = new Question();
        if (!question.isPossible) {
            return;
        }
        IndexQuery query = question.query.build();
        List<String> scanned = hits(opening, query, new ArrayList<>());
        int most = 1 + random.nextInt(5);
        List<String> paged = pages(opening, question.query, most, new ArrayList<>());
        boolean isChecked = query.isWithRows() || hbase.definition.scheme().leavesStaleEntries();
        if (!isChecked) {
            assertThat(paged).as("pages of %s of %s", most, query).isEqualTo(scanned);
            return;
        }
        assertThat(Set.copyOf(paged)).as("pages of %s of %s", most, query).isEqualTo(Set.copyOf(scanned));
        List<String> delivered = new ArrayList<>(question.expected());
        Set<String> indexed = Set.copyOf(hbase.indexed());
        delivered.removeIf(person -> !indexed.contains(keyOf(person)));
        List<String> pagedOfThese = new ArrayList<>(paged);
        pagedOfThese.removeIf(person -> !delivered.contains(person));
        assertThat(pagedOfThese).as("delivered: pages of %s of %s", most, query).isEqualTo(delivered);
    }

    /** Returns the key of the present entry of a row. */
    private static String keyOf(String person) {
        String[] parts = person.split(":", -1);
        return Bytes.toStringBinary(Bytes.add(
                KEYS.prefix(List.of(Bytes.toBytes(parts[0]), Bytes.toBytes(Integer.parseInt(parts[1])))),
                Bytes.toBytes(parts[2])));
    }

    /** Opens a scanner. */
    @FunctionalInterface
    private interface Opening {
        IndexScanner open(IndexQuery query) throws IOException;
    }

    private void begin(Random chosen, IndexScheme scheme) throws IOException {
        random = chosen;
        people.clear();
        hbase = new FakeHBase(BY_CITY_AGE.withScheme(scheme));
        hbase.mostRowsOfALoad = 1 + random.nextInt(8);
        hbase.tellsReadPoints = random.nextInt(4) > 0;
        hbase.remembers = random.nextBoolean();
        moveBorders();
        for (int i = 0; i < 2 * ROWS; i++) {
            hbase.write(write());
        }
    }

    /** Splits and merges regions of the index. */
    private void moveBorders() {
        for (String border : BORDERS) {
            if (random.nextInt(3) == 0) {
                hbase.regionStarts.add(Bytes.toBytes(border));
            } else if (random.nextInt(3) == 0) {
                hbase.regionStarts.remove(Bytes.toBytes(border));
            }
        }
    }

    /** Returns a write of a random row, which is made of the model too. */
    private Mutation write() {
        String row = String.format("r%02d", random.nextInt(ROWS));
        if (random.nextInt(6) == 0) {
            people.remove(row);
            return new Delete(Bytes.toBytes(row));
        }
        Person person = new Person(city(), age(), row);
        people.put(row, person);
        return new Put(Bytes.toBytes(row))
                .addColumn(FakeHBase.F, CITY, Bytes.toBytes(person.city))
                .addColumn(FakeHBase.F, AGE, Bytes.toBytes(person.age));
    }

    private String city() {
        return CITIES.get(random.nextInt(CITIES.size()));
    }

    private int age() {
        return random.nextInt(OLDEST) - 1;
    }

    /** A query, and the predicate that its conditions are. */
    private final class Question {
        private final IndexQuery.Builder query = IndexQuery.index("by_city_age").caching(1 + random.nextInt(6));
        private Predicate<Person> meets = person -> true;
        private final boolean isReverse = random.nextBoolean();
        private boolean isPossible = true;

        Question() {
            int columns = firstColumns();
            switch (random.nextInt(3)) {
                case 0 -> range(columns);
                case 1 -> prefix(columns);
                default -> {}
            }
            if (isReverse) {
                query.reverse();
            }
            if (random.nextInt(4) == 0) {
                query.withRows();
            }
        }

        /** Sets equal values and an IN; returns of how many columns. */
        private int firstColumns() {
            switch (random.nextInt(5)) {
                case 0 -> {
                    Set<String> cities = new HashSet<>(List.of(city(), city(), city()));
                    query.in(shuffled(new ArrayList<>(cities)));
                    meets = person -> cities.contains(person.city);
                    return 1;
                }
                case 1 -> {
                    String city = city();
                    Set<Integer> ages = Set.copyOf(new HashSet<>(List.of(age(), age())));
                    query.equalTo(city).in(shuffled(new ArrayList<>(ages)));
                    meets = person -> person.city.equals(city) && ages.contains(person.age);
                    return 2;
                }
                case 2 -> {
                    String city = city();
                    query.equalTo(city);
                    meets = person -> person.city.equals(city);
                    return 1;
                }
                default -> {
                    return 0;
                }
            }
        }

        /** Returns the values in any order, one of them perhaps twice. */
        private Object[] shuffled(List<Object> values) {
            if (random.nextBoolean()) {
                values.add(values.get(0));
            }
            Collections.shuffle(values, random);
            return values.toArray();
        }

        private void range(int columns) {
            if (columns == 0) {
                String from = city();
                String to = city();
                boolean inclusive = random.nextBoolean();
                and(person -> compare(person.city, from) >= 0);
                and(person -> compare(person.city, to) < (inclusive ? 1 : 0));
                query.from(from);
                isPossible = compare(from, to) < (inclusive ? 1 : 0);
                end(inclusive, to);
            } else if (columns == 1) {
                int from = age();
                int to = from + 1 + random.nextInt(OLDEST);
                boolean inclusive = random.nextBoolean();
                and(person -> person.age >= from && person.age < to + (inclusive ? 1 : 0));
                query.from(from);
                end(inclusive, to);
            }
        }

        private void end(boolean inclusive, Object to) {
            if (inclusive) {
                query.toInclusive(to);
            } else {
                query.to(to);
            }
        }

        private void prefix(int columns) {
            if (columns == 0) {
                String city = city();
                String beginning = city.substring(0, random.nextInt(city.length() + 1));
                and(person -> person.city.startsWith(beginning));
                query.prefix(random.nextBoolean() ? beginning : Bytes.toBytes(beginning));
            }
        }

        private void and(Predicate<Person> condition) {
            meets = meets.and(condition);
        }

        List<String> expected() {
            return people.values().stream()
                    .filter(meets)
                    .sorted(isReverse ? Person.ORDER.reversed() : Person.ORDER)
                    .map(person -> person.city + ":" + person.age + ":" + person.row)
                    .toList();
        }
    }

    private static int compare(String left, String right) {
        return Bytes.compareTo(Bytes.toBytes(left), Bytes.toBytes(right));
    }

    private void compare(Opening opening) throws IOException {
        Question question = new Question();
        if (!question.isPossible) {
            assertThatThrownBy(() -> opening.open(question.query.build())).isInstanceOf(InvalidQueryException.class);
            return;
        }
        List<String> expected = question.expected();
        String query = question.query.build().toString();
        assertThat(hits(opening, question.query.build(), new ArrayList<>()))
                .as(query)
                .isEqualTo(expected);
        int most = 1 + random.nextInt(7);
        List<String> tokens = new ArrayList<>();
        List<String> paged = pages(opening, question.query, most, tokens);
        assertThat(paged).as("pages of %s of %s", most, query).isEqualTo(expected);
        for (int i = 0; i < expected.size(); i++) { // each token continues behind its own hit
            if (random.nextInt(5) == 0) {
                question.query.limit(Long.MAX_VALUE).after(tokens.get(i));
                assertThat(hits(opening, question.query.build(), new ArrayList<>()))
                        .as("behind hit %s of %s", i, query)
                        .isEqualTo(expected.subList(i + 1, expected.size()));
            }
        }
    }

    /** Reads page by page, and splits and merges regions in between. */
    private List<String> pages(Opening opening, IndexQuery.Builder query, int most, List<String> tokens)
            throws IOException {
        query.limit(most);
        List<String> paged = new ArrayList<>();
        boolean isFull;
        do {
            List<String> page = hits(opening, query.build(), tokens);
            paged.addAll(page);
            isFull = page.size() == most;
            if (isFull) {
                query.after(tokens.get(tokens.size() - 1));
            }
            moveBorders();
        } while (isFull);
        return paged;
    }

    private static List<String> hits(Opening opening, IndexQuery query, List<String> tokens) throws IOException {
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = opening.open(query)) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                found.add(hit.text().get(0) + ":" + hit.text().get(1) + ":" + Bytes.toString(hit.row()));
                tokens.add(hits.token());
            }
        }
        return found;
    }
}
