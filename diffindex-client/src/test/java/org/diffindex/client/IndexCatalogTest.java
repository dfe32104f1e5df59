package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.SessionChange;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.Test;

class IndexCatalogTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .scheme(IndexScheme.ASYNC_SESSION)
            .build();

    private Map<String, IndexDefinition> stored = Map.of("by_v", INDEX);
    private Map<String, UnloadedIndex> unloaded = Map.of();
    private int readings;

    private final IndexCatalog catalog = new IndexCatalog(TableName.valueOf("t"), () -> {
        readings++;
        return new TableIndexes(stored, unloaded);
    });

    @Test
    void readsTheDefinitionsOnceUntilItForgetsThem() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(catalog.index("by_v")).isEqualTo(INDEX);
            assertThat(catalog.definitions().loaded()).containsOnlyKeys("by_v");
        }
        assertThat(readings).isEqualTo(1);
        catalog.forget();
        stored = Map.of("by_v", INDEX.withId("another"));
        assertThat(catalog.index("by_v")).isEqualTo(INDEX.withId("another"));
        assertThat(readings).isEqualTo(2);
    }

    /** An index that is DISABLED is not among the definitions, and a reader is to learn why. */
    @Test
    void theSourceSaysWhyThereIsNoSuchIndex() {
        IndexNotReadableException disabled = new IndexNotReadableException("it is DISABLED");
        IndexCatalog asking = new IndexCatalog(TableName.valueOf("t"), new IndexCatalog.Source() {
            @Override
            public TableIndexes read() {
                return TableIndexes.NONE;
            }

            @Override
            public IOException missing(TableName table, String index) {
                return disabled;
            }
        });
        assertThatThrownBy(() -> asking.index("by_v")).isSameAs(disabled);
    }

    /** Otherwise a slow answer from before the change would be taken for the present state. */
    @Test
    void anAnswerToAQuestionFromBeforeItForgotIsNotKept() throws IOException {
        IndexCatalog[] forgetful = new IndexCatalog[1];
        boolean[] isFirst = {true};
        forgetful[0] = new IndexCatalog(TableName.valueOf("t"), () -> {
            TableIndexes answer = new TableIndexes(stored, unloaded);
            if (isFirst[0]) {
                isFirst[0] = false;
                stored = Map.of("by_v", INDEX.withId("another"));
                forgetful[0].forget(); // by another thread, while the answer is on its way
            }
            return answer;
        });
        forgetful[0].definitions();
        assertThat(forgetful[0].index("by_v")).isEqualTo(INDEX.withId("another"));
    }

    @Test
    void readsTheDefinitionsAgainWhenAWriteConcernsAnIndexThatItDoesNotKnow() throws IOException {
        SessionChange known = changeOf(INDEX);
        catalog.definitions();
        catalog.forgetUnless(List.of(known));
        catalog.definitions();
        assertThat(readings).isEqualTo(1);
        catalog.forgetUnless(List.of(
                known,
                changeOf(IndexDefinition.builder(TableName.valueOf("t"), "by_w")
                        .column("f", "w", ColumnTypes.STRING)
                        .build())));
        catalog.definitions();
        assertThat(readings).isEqualTo(2);
        catalog.forgetUnless(List.of(changeOf(INDEX.withId("another"))));
        catalog.definitions();
        assertThat(readings).isEqualTo(3);
    }

    /** The changes that the session remembers count towards its bound, which goes by the definitions. */
    @Test
    void readsTheDefinitionsAgainWhenAnIndexHasGotSessions() throws IOException {
        stored = Map.of("by_v", INDEX.withScheme(IndexScheme.ASYNC_SIMPLE));
        catalog.definitions();
        stored = Map.of("by_v", INDEX);
        catalog.forgetUnless(List.of(changeOf(INDEX)));
        assertThat(catalog.index("by_v").scheme()).isEqualTo(IndexScheme.ASYNC_SESSION);
    }

    @Test
    void readsAsTheTableDemandsUntilTheDefinitionSaysTheSame() throws IOException {
        IndexDefinition index = INDEX.withId("id1");
        IndexDefinition careful = index.withScheme(IndexScheme.SYNC_INSERT);
        stored = Map.of("by_v", index);
        assertThat(catalog.toRead("by_v")).isEqualTo(index);
        catalog.changed(index, Optional.of(IndexScheme.SYNC_INSERT));
        assertThat(catalog.toRead("by_v")).as("the change has begun").isEqualTo(careful);
        assertThat(catalog.index("by_v")).isEqualTo(index);
        stored = Map.of("by_v", careful);
        catalog.forget();
        assertThat(catalog.toRead("by_v")).isEqualTo(careful);
        stored = Map.of("by_v", index);
        catalog.forget();
        assertThat(catalog.toRead("by_v"))
                .as("a demand that was met is forgotten")
                .isEqualTo(index);
        catalog.changed(index, Optional.empty());
        assertThat(catalog.toRead("by_v")).isEqualTo(index);
        catalog.changed(index, Optional.of(IndexScheme.SYNC_INSERT));
        stored = Map.of("by_v", index.withId("id2"));
        catalog.forget();
        assertThat(catalog.toRead("by_v")).as("another index").isEqualTo(index.withId("id2"));
    }

    /** Its name and id are enough to recognize it; otherwise every write of a session would read the definitions. */
    @Test
    void anIndexThatCannotBeLoadedIsKnown() throws IOException {
        unloaded = Map.of("by_w", unloaded("by_w", "id1"));
        IndexDefinition byW = IndexDefinition.builder(TableName.valueOf("t"), "by_w")
                .column("f", "w", ColumnTypes.STRING)
                .build();
        catalog.definitions();
        catalog.forgetUnless(List.of(changeOf(INDEX), changeOf(byW.withId("id1"))));
        catalog.definitions();
        assertThat(readings).isEqualTo(1);
        catalog.forgetUnless(List.of(changeOf(byW.withId("id2"))));
        catalog.definitions();
        assertThat(readings).isEqualTo(2);
    }

    @Test
    void onlyAnIndexThatCannotBeLoadedCannotBeRead() throws IOException {
        unloaded = Map.of("by_w", unloaded("by_w", "id1"));
        assertThat(catalog.index("by_v")).isEqualTo(INDEX);
        assertThatThrownBy(() -> catalog.index("by_w")).isInstanceOf(IndexNotLoadedException.class);
        assertThatThrownBy(() -> catalog.index("by_x")).isInstanceOf(NoSuchIndexException.class);
    }

    private static UnloadedIndex unloaded(String name, String id) {
        return new UnloadedIndex(
                TableName.valueOf("t"), name, id, Optional.empty(), "{}", "the class is not on the class path", true);
    }

    private static SessionChange changeOf(IndexDefinition index) {
        return SessionChange.noEntry(index, new byte[] {1}, 1);
    }

    @Test
    void readsAgainBeforeItReportsAnIndexAsUnknown() throws IOException {
        stored = Map.of();
        assertThat(catalog.definitions().loaded()).isEmpty();
        stored = Map.of("by_v", INDEX);
        assertThat(catalog.index("by_v")).isEqualTo(INDEX);
        assertThatThrownBy(() -> catalog.index("by_w")).isInstanceOf(NoSuchIndexException.class);
        assertThat(readings).isEqualTo(3);
    }
}
