package org.diffindex.cli.doctor;

import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.ServerInspection;

/**
 * The state of a server.
 *
 * @param name its host, port and start code
 * @param hbaseVersion the version of HBase on it; empty if unknown
 * @param inspection its own report; empty if no coprocessor of Diff-Index answered on it
 * @param silence why it did not answer; empty if it did
 */
record ServerView(ServerName name, String hbaseVersion, Optional<ServerInspection> inspection, String silence) {
    static ServerView answering(ServerName name, ServerInspection inspection) {
        return new ServerView(name, inspection.hbaseVersion(), Optional.of(inspection), "");
    }

    static ServerView silent(ServerName name, String hbaseVersion, String silence) {
        return new ServerView(name, hbaseVersion, Optional.empty(), silence);
    }

    /** Returns host and port. */
    String shortName() {
        return name.getHostname() + ":" + name.getPort();
    }
}
