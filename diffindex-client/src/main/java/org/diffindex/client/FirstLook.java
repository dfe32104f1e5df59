package org.diffindex.client;

import java.util.List;

/** The entries of the ranges of a query, as the query reads them for the first time; {@link SecondLook} reads what was put meanwhile. */
interface FirstLook extends EntrySource {
    /** Returns, when all ranges are read, what was read earlier than the last part, in the order of reading. */
    List<ScanView.Read> readBefore();
}
