/**
 * The fault run: clients write and read by index while servers die, stall and move, and every answer is checked against
 * a history kept outside the cluster. {@link org.diffindex.cli.chaos.ChaosCommand} is the way in.
 */
package org.diffindex.cli.chaos;
