package org.diffindex.it;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/**
 * Rights on a base table, each of one user, and the operations to which each right admits. All indexes are on the column {@code
 * f:city}.
 */
final class AccessMatrix {
    private static final byte[] CITY = Bytes.toBytes("city");

    /** The parts of a right, of which an operation requires one. */
    private enum Includes {
        /** READ, WRITE, CREATE or ADMIN on any part of the base table. */
        ANY,
        /** READ on the indexed column. */
        INDEXED,
        /** WRITE, CREATE or ADMIN on any part of the base table. */
        CHANGING,
        /** CREATE or ADMIN on any part of the base table. */
        OWNING,
        /** Nobody has it. */
        NOBODY
    }

    /** The part of a right that each operation requires. */
    private static final Map<String, Includes> OPERATIONS = Map.ofEntries(
            Map.entry("getByIndex", Includes.INDEXED),
            Map.entry("getByIndex with rows", Includes.INDEXED),
            Map.entry("scan of the index table", Includes.INDEXED),
            Map.entry("put to the index table", Includes.NOBODY),
            Map.entry("Build", Includes.ANY),
            Map.entry("Check", Includes.ANY),
            Map.entry("Definitions", Includes.ANY),
            Map.entry("ReportStale", Includes.ANY),
            Map.entry("Status", Includes.ANY),
            Map.entry("Drain", Includes.CHANGING),
            Map.entry("Order", Includes.OWNING),
            Map.entry("Fill", Includes.OWNING),
            Map.entry("Repair", Includes.OWNING));

    /**
     * A right.
     *
     * @param user the user who has this right and no other
     * @param permission empty if the user has none
     */
    private record Right(String user, List<Permission> permission, Set<Includes> includes) {}

    /**
     * A user, an operation and an index.
     *
     * @param isExpected whether the user's right admits to the operation
     */
    record Combination(String user, String operation, IndexDefinition index, boolean isExpected) {
        @Override
        public String toString() {
            return operation + " with " + index.name() + " by a user with the right " + user;
        }
    }

    private final ControlledCluster cluster;
    private final IndexedFixture fixture;
    private final Map<String, Right> rights = new LinkedHashMap<>();

    AccessMatrix(ControlledCluster cluster, IndexedFixture fixture) {
        this.cluster = cluster;
        this.fixture = fixture;
        TableName table = fixture.name;
        add("none", List.of());
        add("execute", List.of(of(table, null, null, Action.EXEC)));
        add("read", List.of(of(table, null, null, Action.READ)), Includes.ANY, Includes.INDEXED);
        add("read-family", List.of(of(table, IndexedFixture.F, null, Action.READ)), Includes.ANY, Includes.INDEXED);
        add("read-indexed", List.of(of(table, IndexedFixture.F, CITY, Action.READ)), Includes.ANY, Includes.INDEXED);
        add("read-another", List.of(of(table, IndexedFixture.F, IndexedFixture.AGE, Action.READ)), Includes.ANY);
        add(
                "read-namespace",
                List.of(Permission.newBuilder(table.getNamespaceAsString())
                        .withActions(Action.READ)
                        .build()),
                Includes.ANY,
                Includes.INDEXED);
        add(
                "read-everything",
                List.of(Permission.newBuilder().withActions(Action.READ).build()),
                Includes.ANY,
                Includes.INDEXED);
        add("write", List.of(of(table, null, null, Action.WRITE)), Includes.ANY, Includes.CHANGING);
        add("write-indexed", List.of(of(table, IndexedFixture.F, CITY, Action.WRITE)), Includes.ANY, Includes.CHANGING);
        add(
                "read-write",
                List.of(of(table, null, null, Action.READ, Action.WRITE)),
                Includes.ANY,
                Includes.INDEXED,
                Includes.CHANGING);
        add("create", List.of(of(table, null, null, Action.CREATE)), Includes.ANY, Includes.CHANGING, Includes.OWNING);
        add("admin", List.of(of(table, null, null, Action.ADMIN)), Includes.ANY, Includes.CHANGING, Includes.OWNING);
    }

    private void add(String name, List<Permission> permission, Includes... includes) {
        rights.put(name, new Right("with-" + name, permission, Set.of(includes)));
    }

    private static Permission of(TableName table, byte[] family, byte[] qualifier, Action... actions) {
        return Permission.newBuilder(table)
                .withFamily(family)
                .withQualifier(qualifier)
                .withActions(actions)
                .build();
    }

    /** Grants every right to its user. Whoever is granted another one after that knows when these are effective. */
    void grant() throws IOException {
        for (Right right : rights.values()) {
            for (Permission permission : right.permission()) {
                cluster.grant(right.user(), permission);
            }
        }
    }

    /** Returns every right with every operation on every index that has it. */
    List<Combination> combinations() throws IOException {
        List<Combination> all = new ArrayList<>();
        for (IndexDefinition index : fixture.admin.listIndexes(fixture.name)) {
            rights.forEach((name, right) -> OPERATIONS.forEach((operation, required) -> {
                if (index.scheme() == IndexScheme.SYNC_INSERT || !operation.equals("ReportStale")) {
                    all.add(new Combination(
                            name, operation, index, right.includes().contains(required)));
                }
            }));
        }
        return all;
    }

    /** Tries an operation; returns whether HBase or Diff-Index admits it. */
    boolean isAllowed(Combination combination) throws IOException {
        return Grants.isAllowed(() -> run(combination));
    }

    private Object run(Combination combination) throws IOException, ServiceException {
        String user = rights.get(combination.user()).user();
        IndexDefinition index = combination.index();
        IndexQuery.Builder query = IndexQuery.index(index.name());
        return switch (combination.operation()) {
            case "getByIndex" -> read(user, query.build());
            case "getByIndex with rows" -> read(user, query.withRows().build());
            case "scan of the index table" -> scan(user, index);
            case "put to the index table" -> put(user, index);
            default -> call(combination.operation(), user, index);
        };
    }

    private Object read(String user, IndexQuery query) throws IOException {
        try (IndexedTable table = new IndexedTable(cluster.as(user), fixture.name);
                IndexScanner hits = table.getByIndex(query)) {
            return hits.next() == null ? "nothing" : "a row";
        }
    }

    private Object scan(String user, IndexDefinition index) throws IOException {
        try (Table own = cluster.as(user).getTable(index.indexTable());
                ResultScanner scanner = own.getScanner(new Scan().setLimit(1))) {
            return scanner.next() == null ? "nothing" : "an entry";
        }
    }

    private Object put(String user, IndexDefinition index) throws IOException {
        try (Table own = cluster.as(user).getTable(index.indexTable())) {
            own.put(new Put(Bytes.toBytes("x")).addColumn(EntryFormat.FAMILY, CITY, CITY));
        }
        return "written";
    }

    private Object call(String call, String user, IndexDefinition index) throws IOException, ServiceException {
        try (Table base = cluster.as(user).getTable(fixture.name)) {
            return IndexCalls.call(call, base, index);
        }
    }
}
