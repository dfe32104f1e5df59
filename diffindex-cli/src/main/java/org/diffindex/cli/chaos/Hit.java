package org.diffindex.cli.chaos;

/** One hit of a read by index: the row, and the value under which it was found. */
record Hit(String row, String value) {}
