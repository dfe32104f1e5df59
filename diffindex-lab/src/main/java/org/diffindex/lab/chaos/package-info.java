/**
 * The fault run: clients write and read by index while servers are killed or stalled and regions move; every answer is
 * checked against a history kept outside the cluster. {@link org.diffindex.lab.chaos.ChaosCommand} is the entry point.
 *
 * <p>Imports the modules below the lab and, from the lab, {@code output} and {@code steps}.
 */
package org.diffindex.lab.chaos;
