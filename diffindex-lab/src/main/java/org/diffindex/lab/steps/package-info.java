/**
 * Steps that the runs share: concurrent steps, rotation, loading a table, waiting for index updates.
 *
 * <p>Imports the client, and no other package of the lab.
 */
package org.diffindex.lab.steps;
