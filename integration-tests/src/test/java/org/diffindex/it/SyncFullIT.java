package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.client.PageTokenException;
import org.diffindex.client.QueryExplanation;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of {@link IndexScheme#SYNC_FULL}, and what is the same under each scheme. */
@ExtendWith(ClusterExtension.class)
class SyncFullIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.SYNC_FULL;
    }

    @Test
    void refusesATokenOfAnIndexThatWasReplaced() throws IOException {
        fixture.put("alice", "Oslo");
        settle();
        String token;
        try (IndexScanner hits =
                fixture.indexed.getByIndex(IndexQuery.index("by_city").build())) {
            assertThat(hits.next()).isNotNull();
            token = hits.token();
        }
        IndexDefinition definition = fixture.indexed.getIndex("by_city");
        fixture.admin.dropIndex(fixture.name, "by_city");
        fixture.admin.createIndex(IndexDefinition.builder(fixture.name, "by_city")
                .column("f", "city", definition.keyColumns().get(0).type())
                .scheme(scheme())
                .build());
        try (IndexedTable client = new IndexedTable(fixture.connection, fixture.name)) {
            assertThatThrownBy(() -> client.getByIndex(
                            IndexQuery.index("by_city").after(token).build()))
                    .isInstanceOfSatisfying(PageTokenException.class, e -> assertThat(e.reason())
                            .isEqualTo(PageTokenException.Reason.REPLACED_INDEX));
        }
        assertThatThrownBy(() -> city("Oslo"))
                .as("this client knows the old index")
                .hasCauseInstanceOf(NoSuchIndexException.class);
        assertThat(city("Oslo")).containsExactly("alice");
    }

    @Test
    void explainsAQuery() throws IOException {
        QueryExplanation explanation = fixture.indexed.explain(
                IndexQuery.index("by_city").in("Bergen", "Oslo", "Zagreb").build());
        assertThat(explanation.scheme()).isEqualTo(scheme());
        assertThat(explanation.ranges()).hasSize(3);
        assertThat(explanation.regions()).as("split at H and P").isEqualTo(3);
        assertThat(explanation.servers()).isNotEmpty();
        assertThat(explanation.toString()).contains("f:city = Bergen: [Bergen\\x00\\x01, Bergen\\x00\\x02)");
    }
}
