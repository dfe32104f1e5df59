package org.diffindex.server;

import org.junit.jupiter.api.Tag;

/** {@link RegionHeapTest} with 1,000 regions on one server. */
@Tag("proof")
@Tag("release")
class RegionHeapProofTest extends RegionHeapTest {
    @Override
    int tables() {
        return 10;
    }
}
