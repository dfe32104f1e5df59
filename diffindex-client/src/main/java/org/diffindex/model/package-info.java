/** What an index is, and the pure functions from a row to its index entries; no I/O. */
package org.diffindex.model;
