/**
 * The coprocessors, thin observers that delegate to {@link org.diffindex.server.RegionParts}, and the components behind
 * them.
 */
package org.diffindex.server;
