/**
 * Derives the changes of index entries from a change of a base row; reads the base through one interface, writes
 * nothing.
 */
package org.diffindex.server.maintain;
