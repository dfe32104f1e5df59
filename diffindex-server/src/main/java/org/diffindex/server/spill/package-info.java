/** Keeps on the cluster's file system the changes whose base rows are flushed and whose index updates are not delivered. */
package org.diffindex.server.spill;
