package org.diffindex.it.upstream;

import static java.util.Map.entry;

import java.util.Map;

/**
 * The tests of HBase that cannot pass on indexed tables, with the reasons. Every test in the list must fail, and every
 * other test must pass.
 */
final class ByDesign {
    private static final String TTL = "writes of indexed columns with a TTL of their own are refused";
    private static final String ADDITION = "writes that another coprocessor adds, of indexed columns, are refused";
    private static final String TOO_LONG =
            "indexed values of more than 32 KiB are refused: they would not fit into a key";
    private static final String FOREIGN =
            "a descriptor that a client creates anew would drop the indexes, and is refused";
    private static final String FAMILY = "a column family with indexed columns is not removed";
    private static final String RESULT =
            "HBase gives each of several coprocessors the result of an append, not what the previous one returned";

    /** The reasons by class, without packages, and method. */
    static final Map<String, String> REASONS = Map.ofEntries(
            entry("TestIncrementsFromClientSide.testIncrementWithTtlTags", TTL),
            entry("TestIncrementFromClientSideWithCoprocessor.testIncrementWithTtlTags", TTL),
            entry("TestFromClientSide.testMaxKeyValueSize", TOO_LONG),
            entry("TestFromClientSideWithCoprocessor.testMaxKeyValueSize", TOO_LONG),
            entry("TestFromClientSide5.testCellSizeNoLimit", TOO_LONG),
            entry("TestFromClientSideWithCoprocessor5.testCellSizeNoLimit", TOO_LONG),
            entry("TestFromClientSide5.testModifyTableWithMemstoreData", FOREIGN),
            entry("TestFromClientSideWithCoprocessor5.testModifyTableWithMemstoreData", FOREIGN),
            entry("TestFromClientSide5.testDeleteCFWithMemstoreData", FAMILY),
            entry("TestFromClientSideWithCoprocessor5.testDeleteCFWithMemstoreData", FAMILY),
            entry("TestResultFromCoprocessor.testAppend", RESULT),
            entry("TestPostIncrementAndAppendBeforeWAL.testIncrementTTLWithACLTag", TTL),
            entry("TestPostIncrementAndAppendBeforeWAL.testAppendTTLWithACLTag", TTL),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testPutWithTTL", TTL),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testMulti", ADDITION),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testCPMutationsAreWrittenToWALEdit", ADDITION),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testDeleteCell", ADDITION),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testDeleteFamily", ADDITION),
            entry("TestRegionObserverForAddingMutationsFromCoprocessors.testDeleteRow", ADDITION));

    private ByDesign() {}
}
