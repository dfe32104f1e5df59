package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.diffindex.client.ServerInspection;

/** Checks whether every region of the base or the index tables has loaded the coprocessor of its table. */
final class RegionsCheck implements Check {
    private static final String REOPEN =
            "make sure that diffindex-server's jar is on the class path of that server, then disable"
                    + " and enable the table, and run: bin/diffindex scrub TABLE --repair";

    private final String name;
    private final String coprocessor;
    private final Function<ClusterView, List<TableView>> tables;

    private RegionsCheck(String name, String coprocessor, Function<ClusterView, List<TableView>> tables) {
        this.name = name;
        this.coprocessor = coprocessor;
        this.tables = tables;
    }

    static RegionsCheck ofBaseTables() {
        return new RegionsCheck("index-observers", "IndexObserver", ClusterView::baseTables);
    }

    static RegionsCheck ofIndexTables() {
        return new RegionsCheck("index-table-guards", "IndexTableGuard", ClusterView::indexTables);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<TableView> enabled =
                tables.apply(cluster).stream().filter(TableView::enabled).toList();
        List<Finding> findings = new ArrayList<>();
        int regions = 0;
        for (TableView table : enabled) {
            regions += table.regions().size();
            findings.addAll(findings(table));
        }
        if (findings.isEmpty() && regions > 0) {
            findings.add(Finding.ok(
                    this, "all " + regions + " regions of " + enabled.size() + " tables have loaded " + coprocessor));
        }
        return findings;
    }

    private List<Finding> findings(TableView table) {
        List<RegionView> silent = table.regions().stream()
                .filter(region -> region.inspection().isEmpty())
                .toList();
        List<RegionView> unloaded = table.regions().stream()
                .filter(region -> problem(region).isPresent())
                .toList();
        List<RegionView> forgetful = table.regions().stream()
                .filter(region ->
                        problem(region).isEmpty() && !missing(table, region).isEmpty())
                .toList();
        List<Finding> findings = new ArrayList<>();
        if (!silent.isEmpty()) {
            findings.add(Finding.problem(
                    this,
                    silent.size() + " of " + table.regions().size() + " regions of " + table.name()
                            + " do not answer as " + coprocessor + ", such as " + place(silent.get(0)) + " ("
                            + silent.get(0).silence() + ")",
                    REOPEN));
        }
        if (!unloaded.isEmpty()) {
            findings.add(Finding.problem(
                    this,
                    unloaded.size() + " of " + table.regions().size() + " regions of " + table.name()
                            + " refuse writes, such as " + place(unloaded.get(0)) + ": "
                            + problem(unloaded.get(0)).orElse(""),
                    "put the missing class on the class path of that server and restart it, or drop the index"));
        }
        if (!forgetful.isEmpty()) {
            findings.add(Finding.problem(
                    this,
                    forgetful.size() + " of " + table.regions().size() + " regions of " + table.name()
                            + " do not maintain all of its indexes, such as " + place(forgetful.get(0))
                            + ", which lacks "
                            + missing(table, forgetful.get(0)),
                    "disable and enable the table, so that its regions read its definition again, and run: bin/diffindex"
                            + " scrub " + table.name() + " --repair"));
        }
        return findings;
    }

    /** Returns why the region cannot load its table's indexes. */
    private static Optional<String> problem(RegionView region) {
        return region.inspection().flatMap(ServerInspection::problem);
    }

    private static Set<String> missing(TableView table, RegionView region) {
        Set<String> missing = new TreeSet<>();
        region.inspection().ifPresent(inspection -> {
            missing.addAll(table.indexNames());
            missing.removeAll(inspection.indexes());
        });
        return missing;
    }

    private static String place(RegionView region) {
        return region.region()
                + region.server()
                        .map(server -> " on " + server.getHostname() + ":" + server.getPort())
                        .orElse(" on no server");
    }
}
