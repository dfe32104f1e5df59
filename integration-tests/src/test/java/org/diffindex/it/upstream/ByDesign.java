package org.diffindex.it.upstream;

import java.util.Map;

/** The tests of HBase's that cannot pass on indexed tables, with the reason. The list must be true in both directions. */
final class ByDesign {
    /** By class without packages, and method. */
    static final Map<String, String> REASONS = Map.of(
            "TestIncrementsFromClientSide.testIncrementWithTtlTags",
            "writes of indexed columns with a TTL of their own are refused");

    private ByDesign() {}
}
