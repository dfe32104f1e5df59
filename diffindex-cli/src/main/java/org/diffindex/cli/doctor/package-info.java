/**
 * Examines a running cluster for what would keep Diff-Index from keeping its promises. {@link
 * org.diffindex.cli.doctor.DoctorCommand} is the way in; {@link org.diffindex.cli.doctor.ClusterLook} looks, and each {@link
 * org.diffindex.cli.doctor.Check} judges what was seen, without looking at the cluster itself.
 *
 * <p>Imports {@code org.diffindex.cli.console}, the client and the server.
 */
package org.diffindex.cli.doctor;
