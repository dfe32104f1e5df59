/** Delivers changes of entries to the index tables, behind one interface to the network. */
package org.diffindex.server.deliver;
