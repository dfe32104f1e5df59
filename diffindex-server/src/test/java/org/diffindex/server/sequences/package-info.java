/**
 * Random sequences of writes, flushes, crashes and splits on real regions, compared with the model "index = f(visible
 * base)".
 */
package org.diffindex.server.sequences;
