package org.diffindex.server.sequences;

import java.util.EnumSet;

/**
 * {@link RegionModel} for tables that keep deleted cells, compact in memory, store medium objects, or let cells expire.
 */
class RegionModelOfSpecialTablesTest extends RegionModel {
    RegionModelOfSpecialTablesTest() {
        super(EnumSet.complementOf(RegionModelTest.SHAPES));
    }
}
