/** Carries changes of entries to the index tables: one seam to the network. */
package org.diffindex.server.deliver;
