package org.diffindex.cli.doctor;

import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.ServerInspection;

/**
 * The state of a region of a base or index table.
 *
 * @param region its encoded name
 * @param server the server that serves it; empty if none does
 * @param inspection the answer of its coprocessor; empty if it did not answer
 * @param silence why it did not answer; empty if it did
 */
record RegionView(String region, Optional<ServerName> server, Optional<ServerInspection> inspection, String silence) {}
