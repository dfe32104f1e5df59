package org.diffindex.server.sequences;

import java.util.EnumSet;

/** {@link RegionModel} for tables that keep what is deleted, compact in memory, or let cells expire. */
class RegionModelOfSpecialTablesTest extends RegionModel {
    RegionModelOfSpecialTablesTest() {
        super(EnumSet.complementOf(RegionModelTest.SHAPES));
    }
}
