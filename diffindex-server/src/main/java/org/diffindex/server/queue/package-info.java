/** The AUQ (asynchronous update queue), the APS that empties it, and the barrier that a flush waits at. */
package org.diffindex.server.queue;
