package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.model.UnknownSchemesException;

/**
 * Checks whether the indexes can be read. {@link IndexTablesCheck} reports those that have no table or are dropped, {@link
 * ColumnsChangeCheck} those that nobody reads yet, or that were replaced.
 */
final class IndexStateCheck implements Check {
    private static final Optional<IndexState> ACTIVE = Optional.of(IndexState.ACTIVE);

    /**
     * An index that its base table defines, whether the command can load it or not.
     *
     * @param own the descriptor of its table; empty if it has none
     */
    private record Index(TableName table, String name, Optional<TableDescriptor> own) {
        Optional<IndexState> state() {
            return own.map(IndexDefinitions::stateOf);
        }

        String named() {
            return "index " + name + " of " + table;
        }

        String command(String verb) {
            return "bin/diffindex " + verb + " " + table + " " + name;
        }
    }

    @Override
    public String name() {
        return "index-states";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        List<Index> all = cluster.baseTables().stream()
                .flatMap(base -> examined(base).map(name -> index(base.name(), name, cluster)))
                .toList();
        all.forEach(index -> check(index).ifPresent(findings::add));
        cluster.indexTables().forEach(table -> checkDisabled(table, cluster).ifPresent(findings::add));
        if (!all.isEmpty() && all.stream().allMatch(index -> index.state().equals(ACTIVE))) {
            findings.add(Finding.ok(this, "all " + all.size() + " indexes are ACTIVE"));
        }
        return findings;
    }

    private static Stream<String> examined(TableView base) {
        return base.indexes().ofRole(IndexRole.IN_SERVICE).names().stream();
    }

    private Optional<Finding> check(Index index) {
        Optional<Finding> notKnown = notKnown(index);
        if (notKnown.isPresent()) {
            return notKnown;
        }
        Finding finding =
                switch (index.state().orElse(IndexState.ACTIVE)) {
                    case BUILDING ->
                        Finding.problem(
                                this,
                                index.named() + " is BUILDING: every write maintains it, but it may lack older rows and"
                                        + " cannot be read",
                                "the master builds it, unless that is paused; see: " + index.command("build status")
                                        + "; then build resume, or drop-index, likewise");
                    case BROKEN ->
                        Finding.problem(
                                this,
                                index.named() + " is BROKEN, and cannot be read: "
                                        + index.own()
                                                .flatMap(IndexDefinitions::problemOf)
                                                .orElse("unknown"),
                                "remove the cause, then: " + index.command("build resume") + ", or: "
                                        + index.command("rebuild-index"));
                    case DISABLED ->
                        Finding.problem(
                                this,
                                "the disabling of " + index.named()
                                        + " was interrupted: every write maintains it, but it cannot be read",
                                "unless a disable-index is running: " + index.command("disable-index") + ", or: "
                                        + index.command("enable-index"));
                    case ACTIVE -> unfinishedChange(index).orElse(null);
                    case DROPPING -> null;
                };
        return Optional.ofNullable(finding);
    }

    /** Reports an index of which this build does not know the format or the state; another state may stand in its place. */
    private Optional<Finding> notKnown(Index index) {
        return index.own()
                .flatMap(IndexFormat::refusal)
                .map(why -> Finding.warning(this, index.named() + " was not examined: " + why, IndexFormat.REMEDY));
    }

    /** Reports a change of the scheme that is under way, or was interrupted. */
    private Optional<Finding> unfinishedChange(Index index) {
        try {
            return index.own()
                    .flatMap(IndexDefinitions::schemeStateOf)
                    .filter(schemes -> schemes.next().isPresent())
                    .map(schemes -> Finding.warning(
                            this,
                            index.named() + " is being changed to "
                                    + schemes.next().get() + ", and promises what " + schemes.promise()
                                    + " does until then",
                            "unless an alter-index is running: " + index.command("alter-index") + " --scheme "
                                    + schemes.next().get()));
        } catch (UnknownSchemesException e) {
            return Optional.of(Finding.warning(
                    this, index.named() + " was not examined: " + e.getMessage(), UnknownSchemesException.remedy()));
        } catch (IllegalArgumentException e) {
            return Optional.of(Finding.problem(
                    this, index.named() + " cannot be read: " + e.getMessage(), index.command("rebuild-index")));
        }
    }

    /** Reports an index that its base table does not define, but whose definition its own table keeps. */
    private Optional<Finding> checkDisabled(TableView table, ClusterView cluster) {
        TableDescriptor own = table.descriptor();
        boolean isInService = IndexDefinitions.keptIn(own)
                .filter(kept -> IndexDefinitions.roleOf(kept) == IndexRole.IN_SERVICE)
                .isPresent();
        if (!isInService || IndexTablesCheck.isOwned(table, cluster)) {
            return Optional.empty();
        }
        TableName base = IndexDefinitions.baseTableOf(own).orElseThrow();
        Index index = new Index(base, IndexTablesCheck.indexName(table), Optional.of(own));
        Optional<Finding> notKnown = notKnown(index);
        if (notKnown.isPresent()) {
            return notKnown;
        }
        if (cluster.table(base).isEmpty()) {
            return Optional.of(Finding.warning(
                    this,
                    index.named() + " is DISABLED, and there is no table " + base + " any more",
                    index.command("drop-index")));
        }
        if (Rebuild.isDue(own)) {
            return Optional.of(Finding.warning(
                    this,
                    index.named()
                            + " is rebuilt, because its table was truncated or a snapshot restored; it cannot be read",
                    "wait for the master: " + index.command("build wait")));
        }
        return Optional.of(
                IndexDefinitions.stateOf(own) == IndexState.DISABLED
                        ? Finding.warning(
                                this,
                                index.named() + " is DISABLED: no write maintains it, and it cannot be read",
                                index.command("enable-index") + ", or: " + index.command("drop-index"))
                        : Finding.problem(
                                this,
                                "the enabling of " + index.named()
                                        + " was interrupted: no write maintains it, and it cannot be read",
                                "unless an enable-index is running: " + index.command("enable-index")));
    }

    private static Index index(TableName table, String name, ClusterView cluster) {
        return new Index(table, name, cluster.indexTable(table, name).map(TableView::descriptor));
    }
}
