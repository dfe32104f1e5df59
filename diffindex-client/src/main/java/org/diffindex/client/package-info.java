/**
 * Making, dropping and watching indexes ({@link org.diffindex.client.DiffIndexAdmin}), reading by index
 * ({@link org.diffindex.client.IndexedTable}) and sessions ({@link org.diffindex.client.Session}); needs only
 * hbase-client.
 */
package org.diffindex.client;
