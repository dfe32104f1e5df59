package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.TestAtomicOperation;
import org.apache.hadoop.hbase.regionserver.throttle.CompactionThroughputControllerFactory;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.IndexedRegion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.InitializationError;

/**
 * Runs HBase's test of atomicity in a region, in which 10 threads write one row or two, on regions with indexes. The
 * indexes of each method's region have the scheme of which the fewest entries have been compared so far.
 */
@Tag("proof")
class HBaseAtomicOperationTest {
    /**
     * Methods that write one row more than once in a millisecond, which is refused, or that create a region of another
     * class.
     */
    private static final Set<String> NOT_RUN =
            Set.of("testIncrementMultiThreads", "testAppendMultiThreads", "testPutAndCheckAndPutInParallel");

    @Test
    void passesOnIndexedRegions() throws InitializationError, NoTestsRemainException {
        OnIndexedRegions tests = new OnIndexedRegions();
        tests.filter(new Selection());
        Result result = new JUnitCore().run(tests);
        assertThat(result.getFailures()).isEmpty();
        assertThat(EnumSet.allOf(IndexScheme.class))
                .as("schemes with entries that were compared with their rows")
                .allMatch(scheme -> IndexedRegion.compared(scheme) > 0);
    }

    private static final class Selection extends Filter {
        @Override
        public boolean shouldRun(Description test) {
            return !NOT_RUN.contains(test.getMethodName());
        }

        @Override
        public String describe() {
            return "all but " + NOT_RUN;
        }
    }

    private static final class OnIndexedRegions extends BlockJUnit4ClassRunner {
        OnIndexedRegions() throws InitializationError {
            super(TestAtomicOperation.class);
        }

        @Override
        protected Object createTest() throws Exception {
            Object test = super.createTest();
            IndexScheme next = EnumSet.allOf(IndexScheme.class).stream()
                    .min(Comparator.comparingLong(IndexedRegion::compared))
                    .orElseThrow();
            Field utility = TestAtomicOperation.class.getDeclaredField("TEST_UTIL");
            utility.setAccessible(true);
            Configuration conf = ((HBaseTestingUtility) utility.get(test)).getConfiguration();
            conf.setClass(HConstants.REGION_IMPL, IndexedRegion.class, HRegion.class);
            conf.set(IndexedRegion.SCHEME, next.name());
            conf.setStrings(IndexedRegion.QUALIFIERS, "qual1", "qual2");
            conf.set(
                    CompactionThroughputControllerFactory.HBASE_THROUGHPUT_CONTROLLER_KEY,
                    NoLimitThroughputController.class.getName());
            return test;
        }
    }
}
