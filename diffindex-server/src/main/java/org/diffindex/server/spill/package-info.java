/**
 * Stores, on the cluster's file system, changes whose base rows are flushed, or that memory cannot hold, and whose
 * index updates are not delivered; and the timestamps that a region's next server must know.
 */
package org.diffindex.server.spill;
