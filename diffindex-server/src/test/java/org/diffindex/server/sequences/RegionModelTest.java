package org.diffindex.server.sequences;

import java.util.EnumSet;

/** {@link RegionModel} for tables that keep a few versions. */
class RegionModelTest extends RegionModel {
    static final EnumSet<TableShape> SHAPES =
            EnumSet.of(TableShape.VERSIONS_1, TableShape.VERSIONS_5, TableShape.NEW_VERSION_BEHAVIOR);

    RegionModelTest() {
        super(SHAPES);
    }
}
