package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests that no index gets a format that a live server does not know. */
class FormatCheckTest {
    private static final ServerName RS1 = ServerName.valueOf("rs1", 16020, 1);
    private static final ServerName RS2 = ServerName.valueOf("rs2", 16020, 1);

    /** The latest formats that servers know; a server without one does not answer. */
    private final Map<ServerName, Optional<Integer>> latest =
            new TreeMap<>(Map.of(RS1, Optional.of(2), RS2, Optional.of(2)));

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<Thread> askedOn = new AtomicReference<>();

    /** The table of the index; null if there is none. */
    private TableDescriptor own;

    private final FormatCheck check = new FormatCheck(2, new FormatCheck.Servers() {
        @Override
        public Collection<ServerName> live() {
            askedOn.set(Thread.currentThread());
            return latest.keySet();
        }

        @Override
        public int latestFormat(ServerName server) throws IOException {
            asked.incrementAndGet();
            return latest.get(server).orElseThrow(() -> new IOException("no answer"));
        }

        /** A server knows generations if it knows a later format than the first, as it happens here. */
        @Override
        public boolean knowsGenerations(ServerName server) throws IOException {
            return latestFormat(server) > 1;
        }
    });

    private Optional<TableDescriptor> find(TableName table) {
        return Optional.ofNullable(own).filter(found -> found.getTableName().equals(table));
    }

    private static TableDescriptor table(int format) {
        return TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setValue("diffindex.format", Integer.toString(format))
                .build();
    }

    private void refused(int format, String... reasons) {
        assertThatThrownBy(() -> check.check(Optional.empty(), table(format), this::find))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining(
                        "Table flights cannot have an index of format " + format + ", nothing was changed: ")
                .hasMessageContainingAll(reasons)
                .hasMessageEndingWith(", or create the index with an earlier format");
    }

    @Test
    void anIndexGetsAFormatThatAllServersKnow() throws IOException {
        check.check(Optional.empty(), table(2), this::find);
        assertThat(asked).hasValue(2);
    }

    @Test
    void namesTheServersThatDoNotKnowTheFormat() {
        latest.put(RS2, Optional.of(1));
        refused(2, "region server rs2,16020,1 knows formats up to 1. Upgrade the region servers");
    }

    /** Such as one without the jar: a region may be opened there. */
    @Test
    void namesTheServersThatDoNotAnswer() {
        latest.put(RS1, Optional.empty());
        latest.put(RS2, Optional.of(1));
        refused(
                2,
                "region server rs1,16020,1 did not tell which formats it knows (no answer)",
                IndexServerEndpoint.class.getName(),
                "; region server rs2,16020,1 knows formats up to 1");
    }

    @Test
    void theMasterKnowsTheFormatToo() {
        latest.replaceAll((server, known) -> Optional.of(3));
        refused(3, "the master knows formats up to 2. Upgrade the masters");
        assertThat(asked).hasValue(0);
    }

    /** Each change of a table's descriptor would wait for all servers. */
    @Test
    void asksNoServerUnlessTheFormatIsLaterThanBefore() throws IOException {
        latest.put(RS2, Optional.of(1));
        check.check(Optional.empty(), table(1), this::find);
        check.check(Optional.of(table(2)), table(2), this::find);
        check.check(Optional.of(table(2)), table(1), this::find);
        assertThat(asked).hasValue(0);
        assertThatThrownBy(() -> check.check(Optional.of(table(1)), table(2), this::find))
                .hasMessageContaining("rs2,16020,1 knows");
    }

    private static TableDescriptor base(int format, String id) {
        return TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setValue(
                        "diffindex.index.by_origin",
                        "{\"format\":" + format + ",\"columns\":[\"f:origin:string\"],\"scheme\":\"sync-full\","
                                + "\"splits\":[],\"id\":\"" + id + "\"}")
                .build();
    }

    private static TableDescriptor own(int format, String id) {
        return TableDescriptorBuilder.newBuilder(IndexDefinition.indexTable(Flights.TABLE, "by_origin"))
                .setValue("diffindex.base", Flights.TABLE.getNameAsString())
                .setValue("diffindex.id", id)
                .setValue("diffindex.format", Integer.toString(format))
                .build();
    }

    /** Every write of the base table would be refused on a server that cannot load the definition. */
    @Test
    void theColumnsOfAnIndexAreChangedIfAllServersKnowHow() throws IOException {
        TableDescriptor second = TableDescriptorBuilder.newBuilder(
                        IndexDefinition.indexTable(Flights.TABLE, "by_origin.2"))
                .setValue("diffindex.base", Flights.TABLE.getNameAsString())
                .build();
        check.check(Optional.empty(), second, this::find);
        assertThat(asked).hasValue(2);
        latest.put(RS1, Optional.empty());
        latest.put(RS2, Optional.of(1));
        assertThatThrownBy(() -> check.check(Optional.empty(), second, this::find))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Table flights.by_origin.2 cannot be created, nothing was changed")
                .hasMessageContaining("region server rs1,16020,1 did not tell whether it knows how (no answer)")
                .hasMessageEndingWith("region server rs2,16020,1 does not know how. Upgrade the region servers");
        check.check(Optional.of(second), second, this::find);
        check.check(Optional.empty(), own(1, "id-1"), this::find);
    }

    /** Else the indexes of a table would be lost that is truncated while a server is silent. */
    @Test
    void asksNoServerAboutAnIndexThatReturns() throws IOException {
        latest.put(RS2, Optional.empty());
        own = own(2, "id-1");
        check.check(Optional.of(table(1)), base(2, "id-1"), this::find);
        check.check(Optional.empty(), base(2, "id-1"), this::find);
        assertThat(asked).hasValue(0);
    }

    @Test
    void asksAboutAnIndexWithoutItsTable() {
        latest.put(RS2, Optional.empty());
        for (TableDescriptor other : new TableDescriptor[] {null, own(2, "id-2"), own(1, "id-1")}) {
            own = other;
            assertThatThrownBy(() -> check.check(Optional.of(table(1)), base(2, "id-1"), this::find))
                    .as("%s", other)
                    .hasMessageContaining("rs2,16020,1 did not tell");
        }
    }

    /** The thread of the hook acts as the user who has called. */
    @Test
    void asksOnItsOwnThreads() throws IOException {
        check.check(Optional.empty(), table(2), this::find);
        assertThat(askedOn.get()).isNotNull().isNotSameAs(Thread.currentThread());
    }
}
