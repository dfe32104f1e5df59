package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.Test;

/** Tests that a scrub compares every generation of an index that is ACTIVE. */
class ScrubTargetsTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition FIRST = by("by_origin", "origin");
    private static final IndexDefinition OTHER = by("by_dest", "dest");
    private static final IndexDefinition SECOND = by("by_origin", "date").asShadowOf(FIRST);

    private static IndexDefinition by(String name, String column) {
        return IndexDefinition.builder(TABLE, name)
                .column("f", column, ColumnTypes.STRING)
                .build();
    }

    private static TableIndexes indexes(IndexDefinition first, IndexDefinition second) {
        return new TableIndexes(Map.of("by_origin", first, "by_origin.2", second, "by_dest", OTHER), Map.of());
    }

    private static ScrubTargets among(TableIndexes indexes, Optional<IndexState> state) throws IOException {
        return ScrubTargets.among(indexes, Optional.empty(), generation -> state);
    }

    @Test
    void aShadowIsComparedOnceItIsActive() throws IOException {
        TableIndexes indexes = indexes(FIRST, SECOND);
        ScrubTargets building = among(indexes, Optional.of(IndexState.BUILDING));
        assertThat(building.compared()).containsExactly(OTHER, FIRST);
        assertThat(building.skipped())
                .containsExactly("Generation by_origin.2 of index by_origin was not compared: it is BUILDING");
        ScrubTargets active = among(indexes, Optional.of(IndexState.ACTIVE));
        assertThat(active.compared()).containsExactly(OTHER, FIRST, SECOND);
        assertThat(active.skipped()).isEmpty();
        assertThat(among(indexes, Optional.empty()).skipped())
                .containsExactly(
                        "Generation by_origin.2 of index by_origin was not compared: it is in a state that this"
                                + " user may not see");
    }

    /** Clients that have not gone over yet read it. */
    @Test
    void theFormerGenerationIsComparedUntilItIsDropped() throws IOException {
        IndexDefinition former = FIRST.withRole(IndexRole.RETIRED);
        IndexDefinition present = SECOND.withRole(IndexRole.IN_SERVICE);
        TableIndexes indexes = indexes(former, present);
        assertThat(among(indexes, Optional.of(IndexState.ACTIVE)).compared()).containsExactly(OTHER, former, present);
        assertThat(among(indexes, Optional.of(IndexState.DROPPING)).compared()).containsExactly(OTHER, present);
    }

    @Test
    void anIndexIsComparedByItsName() throws IOException {
        TableIndexes indexes = indexes(FIRST, SECOND);
        ScrubTargets targets =
                ScrubTargets.among(indexes, Optional.of("by_origin"), generation -> Optional.of(IndexState.ACTIVE));
        assertThat(targets.compared()).containsExactly(FIRST, SECOND);
        assertThat(ScrubTargets.among(indexes, Optional.of("by_dest"), generation -> Optional.empty()))
                .isEqualTo(new ScrubTargets(List.of(OTHER), List.of(), List.of()));
    }

    /** Nothing is known of its entries. */
    @Test
    void aGenerationThatCannotBeLoadedIsNamed() throws IOException {
        UnloadedIndex unloaded =
                new UnloadedIndex(TABLE, "by_day", "x", Optional.empty(), "{}", "the class is missing", true);
        TableIndexes indexes = new TableIndexes(Map.of("by_dest", OTHER), Map.of("by_day", unloaded));
        assertThat(among(indexes, Optional.empty()))
                .isEqualTo(new ScrubTargets(List.of(OTHER), List.of(unloaded), List.of()));
    }
}
