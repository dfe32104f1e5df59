package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests on which pages of a query rows are whose present entries the index lacks: each row is found by its old entry, which
 * lies behind the token, while its present entry belongs before it.
 */
class PagesTest {
    private static final TableName PEOPLE = TableName.valueOf("people");
    private static final byte[] CITY = Bytes.toBytes("city");

    private FakeHBase hbase;
    private IndexedTable table;

    /** The rows a to f are in the cities A to F. */
    private void begin(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(PEOPLE, "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        table = new IndexedTable(hbase.connection, PEOPLE);
        for (String row : List.of("a", "b", "c", "d", "e", "f")) {
            move(row, row.toUpperCase(Locale.ROOT));
        }
        hbase.deliverAll();
        hbase.holds = true; // the entries of all later writes
    }

    private void move(String row, String city) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, CITY, Bytes.toBytes(city)));
    }

    private static IndexQuery.Builder all() {
        return IndexQuery.index("by_city").withRows();
    }

    private static IndexQuery.Builder in(String... cities) {
        return IndexQuery.index("by_city").in((Object[]) cities).withRows();
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void aRowWhoseEntryIsNotDeliveredIsOnThePageOfItsOldEntry(IndexScheme scheme) throws IOException {
        begin(scheme);
        move("e", "A1");
        assertThat(pages(all().limit(2))).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(pages(all().from("A").limit(1))).containsExactly("a", "b", "c", "d", "e", "f");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void soItIsInReverse(IndexScheme scheme) throws IOException {
        begin(scheme);
        move("b", "E1");
        assertThat(pages(all().reverse().limit(2))).containsExactly("f", "e", "d", "c", "b", "a");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void soItIsAmongTheValuesOfAnIn(IndexScheme scheme) throws IOException {
        begin(scheme);
        move("e", "A");
        move("b", "F");
        assertThat(pages(in("A", "B", "C", "E", "F").limit(1))).containsExactly("a", "b", "c", "e", "f");
        assertThat(pages(in("A", "B", "C", "E", "F").reverse().limit(1))).containsExactly("f", "e", "c", "b", "a");
    }

    @Test
    void underSyncInsertSoItIsWithoutRows() throws IOException {
        begin(IndexScheme.SYNC_INSERT);
        move("e", "A1");
        assertThat(pages(IndexQuery.index("by_city").limit(2))).containsExactly("a", "b", "c", "d", "e", "f");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void aRowThatTheConditionsDoNotSelectIsOnNoPage(IndexScheme scheme) throws IOException {
        begin(scheme);
        move("e", "0");
        move("d", "AA");
        assertThat(pages(all().from("A").limit(1))).containsExactly("a", "b", "c", "d", "f");
        assertThat(pages(in("A", "B", "E", "F").limit(1))).containsExactly("a", "b", "f");
    }

    /** Under sync-insert the old entry stays. */
    @Test
    void aRowWhoseEntryWasDeliveredIsOnThePageOfThatEntryAlone() throws IOException {
        begin(IndexScheme.SYNC_INSERT);
        FakeHBase held = hbase;
        synchronized (held) { // the report of the old entry is not processed
            move("e", "A1");
            hbase.deliverAll();
            assertThat(pages(all().limit(2))).containsExactly("a", "e", "b", "c", "d", "f");
        }
    }

    /** The next page begins behind its old entry, and its present one lies before the token. */
    @Test
    void aRowWhoseEntryIsDeliveredBetweenTheLookupAndTheNextPageIsOnOnePage() throws IOException {
        begin(IndexScheme.ASYNC_SIMPLE);
        move("e", "A1");
        List<String> found = new ArrayList<>();
        Optional<String> token = page(all().limit(4), found);
        token = page(all().limit(1).after(token.orElseThrow()), found);
        hbase.deliverAll();
        page(all().limit(9).after(token.orElseThrow()), found);
        assertThat(found).containsExactly("a", "b", "c", "d", "e", "f");
    }

    @Test
    void allPresentEntriesOfAPageAreLookedUpInOneCall() throws IOException {
        begin(IndexScheme.SYNC_INSERT);
        IndexQuery.Builder query = in("A", "B", "C", "D", "E", "F");
        List<String> found = new ArrayList<>();
        String token = page(in("A", "B", "C", "D", "E", "F").limit(2), found).orElseThrow();
        move("c", "A");
        move("d", "B");
        move("e", "D");
        move("f", "E");
        hbase.calls.clear();
        page(query.after(token), found);
        assertThat(found).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(hbase.callsToRead()).containsOnlyOnce("get entries");
    }

    /** The first page of a session shows its own write, which is hidden at the old entry on the next page. */
    @Test
    void theSessionThatWroteARowFindsItOnOnePage() throws IOException {
        begin(IndexScheme.ASYNC_SESSION);
        try (Table base = hbase.connection.getTable(PEOPLE);
                Session session = new Session(table, base, SessionOptions.DEFAULT, remembered -> false)) {
            session.put(new Put(Bytes.toBytes("e")).addColumn(FakeHBase.F, CITY, Bytes.toBytes("A1")));
            session.put(new Put(Bytes.toBytes("a")).addColumn(FakeHBase.F, CITY, Bytes.toBytes("E1")));
            assertThat(pages(IndexQuery.index("by_city").limit(1), session::getByIndex))
                    .containsExactly("e", "b", "c", "d", "a", "f");
            assertThat(pages(all().limit(1), session::getByIndex)).containsExactly("e", "b", "c", "d", "a", "f");
            assertThat(pages(all().reverse().limit(2), session::getByIndex))
                    .containsExactly("f", "a", "d", "c", "b", "e");
        }
    }

    /** Another client has moved a row on, and the index has neither entry. */
    @Test
    void aRowOfASessionThatAnotherClientHasMovedBeforeTheTokenIsOnOnePage() throws IOException {
        begin(IndexScheme.ASYNC_SESSION);
        try (Table base = hbase.connection.getTable(PEOPLE);
                Session session = new Session(table, base, SessionOptions.DEFAULT, remembered -> false)) {
            session.put(new Put(Bytes.toBytes("c")).addColumn(FakeHBase.F, CITY, Bytes.toBytes("E1")));
            move("c", "A1");
            assertThat(pages(IndexQuery.index("by_city").limit(2), session::getByIndex))
                    .containsExactly("a", "b", "d", "e", "c", "f");
        }
    }

    /** As if the session had ended after it was asked whether it is open. */
    @Test
    void aQueryThatCannotBeOpenedLeavesNoTableOpen() throws IOException {
        begin(IndexScheme.ASYNC_SESSION);
        Table base = hbase.connection.getTable(PEOPLE);
        Table index = hbase.connection.getTable(hbase.definition.indexTable());
        table.getIndex("by_city"); // reads the definitions from the base table
        clearInvocations(base, index);
        SessionOverlay ended = new SessionOverlay();
        ended.end("The session is closed");
        assertThatThrownBy(() -> table.getByIndex(all().build(), Optional.of(ended), () -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The session is closed");
        verify(base).close();
        verify(index, times(2)).close();
    }

    /** Opens a scanner. */
    @FunctionalInterface
    private interface Opening {
        IndexScanner open(IndexQuery query) throws IOException;
    }

    private List<String> pages(IndexQuery.Builder query) throws IOException {
        return pages(query, table::getByIndex);
    }

    /** Returns the rows of all pages. */
    private static List<String> pages(IndexQuery.Builder query, Opening opening) throws IOException {
        List<String> found = new ArrayList<>();
        Optional<String> token = page(query, found, opening);
        while (token.isPresent()) {
            token = page(query.after(token.get()), found, opening);
        }
        return found;
    }

    private Optional<String> page(IndexQuery.Builder query, List<String> found) throws IOException {
        return page(query, found, table::getByIndex);
    }

    /** Reads a page; returns the token of the next one, if this one has a hit. */
    private static Optional<String> page(IndexQuery.Builder query, List<String> found, Opening opening)
            throws IOException {
        Optional<String> token = Optional.empty();
        try (IndexScanner hits = opening.open(query.build())) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                found.add(Bytes.toString(hit.row()));
                token = Optional.of(hits.token());
            }
        }
        return token;
    }
}
