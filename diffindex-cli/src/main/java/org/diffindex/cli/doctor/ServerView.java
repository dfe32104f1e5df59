package org.diffindex.cli.doctor;

import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.ServerInspection;

/**
 * A server as it was seen.
 *
 * @param hbaseVersion as the master knows it
 * @param inspection what it said of itself; empty if nothing of Diff-Index answered on it
 * @param silence why it said nothing; empty if it did
 */
record ServerView(ServerName name, String hbaseVersion, Optional<ServerInspection> inspection, String silence) {
    /** Host and port. */
    String shortName() {
        return name.getHostname() + ":" + name.getPort();
    }
}
