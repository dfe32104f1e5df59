/** From a change of a base row to the changes of its index entries; reads the base through one seam, writes nothing. */
package org.diffindex.server.maintain;
