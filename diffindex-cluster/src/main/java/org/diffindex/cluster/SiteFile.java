package org.diffindex.cluster;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Reads and writes the configuration files of Hadoop and HBase. */
public final class SiteFile {
    private SiteFile() {}

    /** Writes the properties as a site file, in the map's order. */
    static void write(Path file, Map<String, String> properties) throws IOException {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n");
        properties.forEach((name, value) -> xml.append("  <property><name>")
                .append(escaped(name))
                .append("</name><value>")
                .append(escaped(value))
                .append("</value></property>\n"));
        try (Writer out = Files.newBufferedWriter(file)) {
            out.append(xml).append("</configuration>\n");
        }
    }

    /**
     * Returns the configuration of a client of the cluster that a folder of site files describes: the defaults of
     * Hadoop and HBase, then {@code core-site.xml}, {@code hdfs-site.xml} and {@code hbase-site.xml} of that folder.
     * Site files on the class path are not read.
     *
     * @throws IOException if the folder has no {@code hbase-site.xml}
     */
    public static Configuration readFolder(Path folder) throws IOException {
        if (!Files.isReadable(folder.resolve("hbase-site.xml"))) {
            throw new IOException("No hbase-site.xml in " + folder.toAbsolutePath()
                    + "; no cluster was contacted; name the folder that contains the cluster's hbase-site.xml");
        }
        Configuration conf = new Configuration(false);
        conf.addResource("core-default.xml");
        conf.addResource("hbase-default.xml");
        for (String name : new String[] {"core-site.xml", "hdfs-site.xml", "hbase-site.xml"}) {
            Path file = folder.resolve(name);
            if (Files.isReadable(file)) {
                conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
            }
        }
        return conf;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
