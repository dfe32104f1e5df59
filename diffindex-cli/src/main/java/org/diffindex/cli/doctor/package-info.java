/**
 * {@code diffindex doctor}: examines a running cluster for conditions under which Diff-Index cannot keep its promises.
 * Starts at {@link org.diffindex.cli.doctor.DoctorCommand}; {@link org.diffindex.cli.doctor.ClusterLook} reads the
 * cluster, and each {@link org.diffindex.cli.doctor.Check} examines what was read, without access to the cluster.
 *
 * <p>Imports {@code org.diffindex.cli.console}, the client and the server.
 */
package org.diffindex.cli.doctor;
