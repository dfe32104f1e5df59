package org.diffindex.cli.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.Coprocessors;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.client.ServerInspection;
import org.diffindex.client.Staleness;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.DiffIndexVersion;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.ServerSetting;
import org.junit.jupiter.api.Assertions;

/** A healthy cluster, for tests that break one thing. */
final class Views {
    static final TableName FLIGHTS = TableName.valueOf("flights");
    static final String SILENCE = "nothing answers";

    final Configuration client = new Configuration(false);
    final Map<ServerSetting, String> settings = new HashMap<>();
    final Map<ServerSetting, String> settingsOfTheSecond = new HashMap<>();
    String hbaseVersion = "2.6.1-hadoop3";
    String javaVersion = "17.0.9";
    String version = DiffIndexVersion.current();
    String jarOfTheSecond = "ab".repeat(32);
    boolean urgent = true;
    Optional<String> problem = Optional.empty();
    Duration clockOfTheSecond = Duration.ZERO;
    int formatOfTheSecond = 1;
    boolean masterAnswers = true;
    boolean secondAnswers = true;
    List<ServerName> backups = List.of();
    List<TableView> tables = List.of();

    static IndexDefinition definition() {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build()
                .withId("id1");
    }

    static TableDescriptorBuilder baseDescriptor() throws IOException {
        return TableDescriptorBuilder.newBuilder(FLIGHTS)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .setCoprocessor(Coprocessors.INDEX_OBSERVER);
    }

    static TableDescriptorBuilder indexDescriptor() throws IOException {
        return IndexDefinitions.markIndexTable(
                TableDescriptorBuilder.newBuilder(definition().indexTable())
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("i"))
                                .setConfiguration("hbase.hstore.time.to.purge.deletes", "86400000")
                                .build())
                        .setCoprocessor(Coprocessors.INDEX_TABLE_GUARD),
                definition(),
                IndexState.ACTIVE);
    }

    static TableView base() {
        return base(definition());
    }

    static TableView base(IndexDefinition definition) {
        try {
            TableDescriptor descriptor = IndexDefinitions.with(baseDescriptor().build(), definition);
            return new TableView(descriptor, true, regions(Set.of(definition.name())), Optional.of(status(0)), 0, "");
        } catch (IOException e) {
            return Assertions.fail(e);
        }
    }

    static TableView index() {
        try {
            return TableView.notAsked(indexDescriptor().build(), true, regions(Set.of()));
        } catch (IOException e) {
            return Assertions.fail(e);
        }
    }

    static IndexStatus status(long files) {
        RegionStatus region = new RegionStatus(
                "r", "s", 7, 700, files, Duration.ZERO, 1, 0, Staleness.NONE, 0, 0, 0, 0, Optional.empty(), Map.of());
        return new IndexStatus(
                FLIGHTS, List.of(definition()), List.of(), Map.of("by_origin", IndexState.ACTIVE), List.of(region));
    }

    static List<RegionView> regions(Set<String> indexes) {
        Views fine = new Views();
        return IntStream.of(1, 2)
                .mapToObj(number -> new RegionView(
                        "region" + number,
                        Optional.of(server(number)),
                        Optional.of(fine.inspection(number, indexes)),
                        ""))
                .toList();
    }

    static RegionView silentRegion() {
        return new RegionView("region3", Optional.of(server(2)), Optional.empty(), SILENCE);
    }

    static ServerName server(int number) {
        return ServerName.valueOf("rs" + number, 16020, 1);
    }

    /** Creates a cluster with a base table and its index. */
    static Views fine() {
        Views views = new Views();
        views.tables = List.of(base(), index());
        return views;
    }

    /** Returns a region whose server cannot load the indexes. */
    static RegionView unloadedRegion(String problem) {
        Views broken = new Views();
        broken.problem = Optional.of(problem);
        return new RegionView("region4", Optional.of(server(2)), Optional.of(broken.inspection(2, Set.of())), "");
    }

    private Views() {}

    ServerInspection inspection(int number, Set<String> indexes) {
        Map<ServerSetting, String> set = new HashMap<>(settings);
        if (number == 2) {
            set.putAll(settingsOfTheSecond);
        }
        return new ServerInspection(
                server(number).toString(),
                version,
                Optional.of(number == 2 ? jarOfTheSecond : "ab".repeat(32)),
                hbaseVersion,
                javaVersion,
                set,
                urgent,
                indexes,
                problem,
                number == 2 ? formatOfTheSecond : 1,
                number == 2 ? clockOfTheSecond : Duration.ZERO,
                Duration.ofMillis(3));
    }

    private ServerView view(int number, boolean answers) {
        return answers
                ? ServerView.answering(server(number), inspection(number, Set.of()))
                : ServerView.silent(server(number), number == 9 ? hbaseVersion : "", SILENCE);
    }

    ClusterView cluster() {
        return new ClusterView(
                client, view(9, masterAnswers), backups, List.of(view(1, true), view(2, secondAnswers)), tables);
    }
}
