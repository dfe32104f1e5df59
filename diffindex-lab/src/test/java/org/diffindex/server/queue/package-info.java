/** Microbenchmarks of the AUQ. */
package org.diffindex.server.queue;
