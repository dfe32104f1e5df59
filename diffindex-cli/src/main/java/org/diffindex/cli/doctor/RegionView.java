package org.diffindex.cli.doctor;

import java.util.Optional;
import org.apache.hadoop.hbase.ServerName;
import org.diffindex.client.ServerInspection;

/**
 * A region of a base or index table as it was seen.
 *
 * @param region its encoded name
 * @param server where it is; empty if it is nowhere
 * @param inspection what its coprocessor said; empty if it did not answer
 * @param silence why it said nothing; empty if it did
 */
record RegionView(String region, Optional<ServerName> server, Optional<ServerInspection> inspection, String silence) {}
