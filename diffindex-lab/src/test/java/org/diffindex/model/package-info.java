/** Microbenchmarks of what a write costs in index keys and entries. */
package org.diffindex.model;
