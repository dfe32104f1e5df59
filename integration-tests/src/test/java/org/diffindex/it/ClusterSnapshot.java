package org.diffindex.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.diffindex.cluster.ClusterLayout;
import org.diffindex.cluster.SiteFile;

/**
 * The state of a cluster: its tables and their rows, the coprocessors of its servers, the folders below HBase's root,
 * its hbase-site.xml, and the folders where servers find jars. Excludes what HBase maintains for itself: WALs, the
 * archive of deleted files, its own tables, the names of the files in a folder.
 *
 * @param tables each descriptor, as text, by the table's name
 * @param rows the rows of each table, by its name
 */
record ClusterSnapshot(
        SortedMap<String, String> tables,
        Map<String, List<String>> rows,
        Set<String> masterCoprocessors,
        Set<String> regionServerCoprocessors,
        SortedSet<String> folders,
        String site,
        SortedSet<String> jars) {
    private static final Set<String> OF_HBASE_ITSELF = Set.of("archive", "WALs", "oldWALs", "MasterData", "data/hbase");

    static ClusterSnapshot of(ClusterLayout layout, Path jarFolder) throws IOException {
        Configuration conf = SiteFile.readFolder(layout.conf());
        SortedMap<String, String> tables = new TreeMap<>();
        Map<String, List<String>> rows = new TreeMap<>();
        try (Connection connection = ConnectionFactory.createConnection(conf);
                Admin admin = connection.getAdmin()) {
            for (TableDescriptor table : admin.listTableDescriptors()) {
                String name = table.getTableName().getNameAsString();
                tables.put(name, table.toString());
                rows.put(name, rows(connection, table));
            }
            ClusterMetrics metrics = admin.getClusterMetrics(
                    EnumSet.of(ClusterMetrics.Option.MASTER_COPROCESSORS, ClusterMetrics.Option.LIVE_SERVERS));
            Set<String> ofRegionServers = new TreeSet<>();
            metrics.getLiveServerMetrics().values().forEach(each -> ofRegionServers.addAll(each.getCoprocessorNames()));
            return new ClusterSnapshot(
                    tables,
                    rows,
                    new TreeSet<>(metrics.getMasterCoprocessorNames()),
                    ofRegionServers,
                    folders(conf),
                    Files.readString(layout.hbaseSite()),
                    names(jarFolder));
        }
    }

    private static List<String> rows(Connection connection, TableDescriptor descriptor) throws IOException {
        List<String> rows = new ArrayList<>();
        try (Table table = connection.getTable(descriptor.getTableName());
                ResultScanner results = table.getScanner(new Scan())) {
            for (Result result : results) {
                rows.add(result.toString());
            }
        }
        return rows;
    }

    private static SortedSet<String> folders(Configuration conf) throws IOException {
        SortedSet<String> folders = new TreeSet<>();
        addFolders(
                CommonFSUtils.getRootDirFileSystem(conf),
                CommonFSUtils.getRootDir(conf).toUri().getPath(),
                "",
                folders);
        return folders;
    }

    private static void addFolders(FileSystem fileSystem, String root, String folder, SortedSet<String> folders)
            throws IOException {
        for (FileStatus status : fileSystem.listStatus(new org.apache.hadoop.fs.Path(root, "./" + folder))) {
            String name = folder.isEmpty()
                    ? status.getPath().getName()
                    : folder + "/" + status.getPath().getName();
            boolean hidden = status.getPath().getName().startsWith(".");
            if (status.isDirectory() && !hidden && !OF_HBASE_ITSELF.contains(name)) {
                folders.add(name);
                addFolders(fileSystem, root, name, folders);
            }
        }
    }

    private static SortedSet<String> names(Path folder) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> names.add(file.getFileName().toString()));
        }
        return names;
    }
}
