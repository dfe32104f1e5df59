/** The coprocessors: thin observers around {@link org.diffindex.server.RegionParts}. */
package org.diffindex.server;
