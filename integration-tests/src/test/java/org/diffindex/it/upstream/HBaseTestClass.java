package org.diffindex.it.upstream;

import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A test class of HBase, and the columns that its tests write, by which its tables are indexed.
 *
 * @param name its name below {@code org.apache.hadoop.hbase}
 * @param isQuick whether the proof runs it: it takes seconds, and has no tight time limits
 * @param indexes the indexes of each family: a qualifier, or several with {@link #AND} between them
 */
record HBaseTestClass(String name, boolean isQuick, List<String> indexes) {
    private static final String PACKAGE = "org.apache.hadoop.hbase.";
    private static final String AND = "+";

    static final List<HBaseTestClass> ALL = List.of(
            quick("client.TestAppendFromClientSide", "testQualifier"),
            quick("client.TestAsyncTable", "cq", "cq1+cq2"),
            quick("client.TestCheckAndMutate", "A", "A+B"),
            quick("client.TestPutWithDelete", "A", "C+D"),
            slow("client.TestIncrementsFromClientSide", "testQualifier", "column"),
            slow("client.TestMultipleTimestamps", "column:0", "column:5"),
            slow("client.TestTimestampsFilter", "column:0", "column2"),
            slow("client.TestAsyncBufferMutator", "cq"),
            slow("client.TestAsyncTableBatch", "cq"),
            slow("client.TestAsyncTableNoncedRetry", "cq", "cq+cq2"),
            slow("client.TestCheckAndMutateWithByteBuff", "cq", "cq+q1"),
            slow("client.TestFromClientSide", "testQualifier", "", "column"),
            slow("client.TestFromClientSide3", "testQualifier", ""),
            slow("client.TestFromClientSide4", "testQualifier", ""),
            slow("client.TestFromClientSide5", "testQualifier", ""),
            slow("client.TestFromClientSideNoCodec", "cf1"),
            slow("client.TestGetScanColumnsWithNewVersionBehavior", "a", "a+c"),
            slow("client.TestHTableNoncedRetry", "cq", "cq+cq2"),
            slow("client.TestMalformedCellFromClient", ""),
            slow("client.TestMultiParallel", "qual"),
            slow("client.TestMvccConsistentScanner", "cq1", "cq1+cq3"),
            slow("client.TestScannersFromClientSide", "testQualifier0", "testQualifier0+testQualifier1"),
            slow("client.TestScannersFromClientSide2", "cq1", "cq1+cq2"),
            slow("TestFullLogReconstruction", "family"),
            slow("TestSequenceIdMonotonicallyIncreasing", "cq"),
            slow("client.TestAsyncTableBatchRetryImmediately", "cq"),
            slow("client.TestFromClientSideWithCoprocessor", "testQualifier", "", "column"),
            slow("client.TestFromClientSideWithCoprocessor4", "testQualifier", ""),
            slow("client.TestFromClientSideWithCoprocessor5", "testQualifier", ""),
            slow("client.TestHTableMultiplexer", "testQualifier"),
            slow("client.TestIncrementFromClientSideWithCoprocessor", "testQualifier", "column"),
            slow("client.TestResultFromCoprocessor", "qual"),
            slow("constraint.TestConstraint", ""),
            slow("coprocessor.TestAppendTimeRange", "col1"),
            slow("coprocessor.TestIncrementTimeRange", "col1"),
            slow("coprocessor.TestPostIncrementAndAppendBeforeWAL", "cq1", "cq2"),
            slow("coprocessor.TestRegionObserverForAddingMutationsFromCoprocessors", "dummy"),
            slow("regionserver.TestMutateRowsRecovery", "qual1", "qual1+qual2"),
            quick("regionserver.TestNewVersionBehaviorFromClientSide", "col1", "col1+col2"),
            slow("regionserver.TestRegionServerCrashDisableWAL", "cq"),
            slow("regionserver.TestTags", "qual", "q1"),
            slow("security.access.TestCellACLs", "q1", "q1+q2"),
            slow("security.visibility.TestVisibilityLabelsWithDeletes", "qual", "qual+qual1"));

    private static HBaseTestClass quick(String name, String... indexes) {
        return new HBaseTestClass(name, true, List.of(indexes));
    }

    private static HBaseTestClass slow(String name, String... indexes) {
        return new HBaseTestClass(name, false, List.of(indexes));
    }

    /** Returns the class of this name, given without packages. */
    static HBaseTestClass named(String simpleName) {
        return ALL.stream()
                .filter(each -> each.simpleName().equals(simpleName))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("No class of the list: " + simpleName));
    }

    String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    Class<?> load() throws ClassNotFoundException {
        return Class.forName(PACKAGE + name);
    }

    /** Returns the qualifiers of each index. */
    List<List<byte[]>> qualifiers() {
        return indexes.stream()
                .map(index -> List.of(index.split("\\" + AND, -1)).stream()
                        .map(Bytes::toBytes)
                        .toList())
                .toList();
    }
}
