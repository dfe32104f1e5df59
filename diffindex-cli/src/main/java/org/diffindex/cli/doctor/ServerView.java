package org.diffindex.cli.doctor;

import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.ServerInspection;

/**
 * A server as it was seen.
 *
 * @param hbaseVersion of HBase on it; empty if not known
 * @param inspection what it said of itself; empty if nothing of Diff-Index answered on it
 * @param silence why it said nothing; empty if it did
 */
record ServerView(ServerName name, String hbaseVersion, Optional<ServerInspection> inspection, String silence) {
    static ServerView answering(ServerName name, ServerInspection inspection) {
        return new ServerView(name, inspection.hbaseVersion(), Optional.of(inspection), "");
    }

    static ServerView silent(ServerName name, String hbaseVersion, String silence) {
        return new ServerView(name, hbaseVersion, Optional.empty(), silence);
    }

    /** Host and port. */
    String shortName() {
        return name.getHostname() + ":" + name.getPort();
    }
}
