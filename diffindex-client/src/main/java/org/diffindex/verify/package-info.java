/** Compares an index with its base table. */
package org.diffindex.verify;
