/** Compares indexes with their base tables, while writers go on, and repairs what differs. */
package org.diffindex.verify;
