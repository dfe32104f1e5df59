package org.diffindex.phoenix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PhoenixSqlTest {
    private static final PhoenixSql NONE = new PhoenixSql(PhoenixIndex.NONE);
    private static final PhoenixSql STRONG = new PhoenixSql(PhoenixIndex.STRONG);
    private static final PhoenixSql UNCOVERED = new PhoenixSql(PhoenixIndex.UNCOVERED);

    @Test
    void theTableHasTheColumnsOfAnItemAndItsRegions() {
        assertThat(STRONG.createTable(List.of("55", "aa")))
                .startsWith("CREATE TABLE DIFFINDEX_BENCH_STRONG (ITEM_KEY VARCHAR NOT NULL PRIMARY KEY,"
                        + " ITEM_TITLE VARCHAR, ITEM_PRICE BIGINT, ITEM_FIELD0 VARBINARY, ")
                .contains("ITEM_FIELD7 VARBINARY) UPDATE_CACHE_FREQUENCY=86400000")
                .endsWith(" SPLIT ON ('55', 'aa')");
        assertThat(STRONG.upsert()).endsWith("VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        assertThat(STRONG.createTable(List.of())).doesNotContain("SPLIT");
    }

    @Test
    void theIndexIsGlobalAndByTitle() {
        assertThat(NONE.createIndex(List.of("55"))).isEmpty();
        assertThat(STRONG.createIndex(List.of("55")))
                .contains("CREATE INDEX DIFFINDEX_BENCH_STRONG_BY_TITLE ON DIFFINDEX_BENCH_STRONG (ITEM_TITLE)"
                        + " SPLIT ON ('55')");
        assertThat(UNCOVERED.createIndex(List.of()))
                .contains("CREATE UNCOVERED INDEX DIFFINDEX_BENCH_UNCOVERED_BY_TITLE ON DIFFINDEX_BENCH_UNCOVERED"
                        + " (ITEM_TITLE)");
    }

    @Test
    void queriesUseTheIndexIfThereIsOneAndTheRowKeyOtherwise() {
        assertThat(NONE.selectOne())
                .isEqualTo("SELECT ITEM_KEY, ITEM_TITLE FROM DIFFINDEX_BENCH_NONE WHERE ITEM_KEY = ?");
        assertThat(NONE.selectRange()).endsWith("WHERE ITEM_KEY >= ? ORDER BY ITEM_KEY LIMIT ?");
        assertThat(STRONG.selectOne())
                .isEqualTo("SELECT /*+ INDEX(DIFFINDEX_BENCH_STRONG DIFFINDEX_BENCH_STRONG_BY_TITLE) */ ITEM_KEY,"
                        + " ITEM_TITLE FROM DIFFINDEX_BENCH_STRONG WHERE ITEM_TITLE = ?");
        assertThat(UNCOVERED.selectRange()).endsWith("WHERE ITEM_TITLE >= ? ORDER BY ITEM_TITLE LIMIT ?");
        assertThat(NONE.scanned()).isEqualTo("DIFFINDEX_BENCH_NONE");
        assertThat(UNCOVERED.scanned()).isEqualTo("DIFFINDEX_BENCH_UNCOVERED_BY_TITLE");
    }

    @Test
    void aPlanThatScansAnotherTableIsNoticed() {
        List<String> plan =
                List.of("CLIENT SERIAL 1-WAY RANGE SCAN OVER T_BY_TITLE ['0'] - [*]", "    SERVER 1 ROW LIMIT");
        assertThat(PhoenixTable.scans(plan, "T_BY_TITLE")).isTrue();
        assertThat(PhoenixTable.scans(plan, "T")).isFalse();
        assertThat(PhoenixTable.scans(List.of("CLIENT PARALLEL POINT LOOKUP ON 1 KEY OVER T"), "T"))
                .isTrue();
        assertThat(PhoenixTable.scans(List.of(), "T")).isFalse();
    }
}
