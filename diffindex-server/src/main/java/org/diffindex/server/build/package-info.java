/** Builds indexes online: the master fills the index of a table that has rows, region by region, and makes it ACTIVE. */
package org.diffindex.server.build;
