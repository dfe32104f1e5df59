package org.diffindex.it.upstream;

import static java.util.Map.entry;

import java.util.Map;

/**
 * The tests of HBase that cannot pass on indexed tables, with the reasons. Every test in the list must fail for its
 * reason, and every other test must pass.
 */
final class ByDesign {
    /**
     * Why tests cannot pass.
     *
     * @param text the reason
     * @param message a part of the message with which they fail
     */
    record Reason(String text, String message) {}

    private static final Reason TTL = new Reason(
            "writes of indexed columns with a TTL of their own are refused",
            "a write with a TTL of its own would let the value before it reappear");
    private static final Reason ADDITION = new Reason(
            "writes that another coprocessor adds, of indexed columns, are refused",
            "a write that a coprocessor adds to another, would pass by the indexes");
    private static final Reason TOO_LONG = new Reason(
            "indexed values of more than 32 KiB are refused: they would not fit into a key",
            "The index key would have");
    private static final Reason FOREIGN = new Reason(
            "a descriptor that a client creates anew would drop the indexes, and is refused",
            "the descriptor adds, changes or removes the definitions of the indexes");
    private static final Reason FAMILY =
            new Reason("a column family with indexed columns is not removed", "needs the column family");
    private static final Reason RESULT = new Reason(
            "HBase gives each of several coprocessors the result of an append, not what the previous one returned",
            "assertTrue(TestCase.java:200) at org.apache.hadoop.hbase.client.TestResultFromCoprocessor.assertRowAndValue");

    /** The reasons by class, without packages, and method. */
    static final Map<String, Reason> REASONS = Map.ofEntries(
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

    static boolean lists(Outcome outcome) {
        return REASONS.containsKey(outcome.test());
    }

    /** Returns whether a test failed for the reason for which it is listed. */
    static boolean explains(Outcome outcome) {
        return lists(outcome)
                && outcome.kind() == Outcome.Kind.FAILED
                && outcome.message().contains(REASONS.get(outcome.test()).message());
    }
}
