/** The coprocessors: thin observers around {@link org.diffindex.server.RegionIndexes}. */
package org.diffindex.server;
