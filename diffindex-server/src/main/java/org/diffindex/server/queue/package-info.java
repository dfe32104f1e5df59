/** The AUQ (asynchronous update queue), the APS that delivers it, and the barrier at which a flush waits. */
package org.diffindex.server.queue;
