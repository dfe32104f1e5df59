package org.diffindex.it.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.diffindex.it.upstream.Outcome.Kind;
import org.junit.After;
import org.junit.Assert;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.jupiter.api.Test;
import org.junit.rules.TestName;
import org.junit.runner.JUnitCore;

class OutcomeListenerTest {
    /** Tests with each kind of outcome. */
    public static final class Tests {
        @Rule
        public final TestName name = new TestName();

        @After
        public void tearDown() {
            Assert.assertNotEquals("failsTwice", name.getMethodName());
        }

        @org.junit.Test
        public void passes() {
            // nothing fails
        }

        @org.junit.Test
        @Ignore
        public void isIgnored() {
            Assert.fail();
        }

        @org.junit.Test
        public void assumes() {
            Assume.assumeTrue("not on this machine", false);
        }

        @org.junit.Test
        public void fails() {
            Assert.fail("in the test");
        }

        @org.junit.Test
        public void failsTwice() {
            Assert.fail("in the test");
        }
    }

    /** A class whose tests cannot be run here. */
    public static final class TestsElsewhere {
        @BeforeClass
        public static void setUp() {
            Assume.assumeTrue("not on this machine", false);
        }

        @org.junit.Test
        public void passes() {
            // is not run
        }
    }

    private static List<Outcome> outcomesOf(Class<?> tests) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        JUnitCore core = new JUnitCore();
        core.addListener(new OutcomeListener(
                HBaseTestClass.named("TestCheckAndMutate"), new PrintStream(lines, true, StandardCharsets.UTF_8)));
        core.run(tests);
        return lines.toString(StandardCharsets.UTF_8)
                .lines()
                .map(Outcome::parse)
                .toList();
    }

    @Test
    void aTestWhoseAssumptionDoesNotHoldIsIgnored() {
        assertThat(outcomesOf(Tests.class))
                .filteredOn(outcome -> !outcome.isBad())
                .extracting(Outcome::test, Outcome::kind)
                .containsExactlyInAnyOrder(
                        tuple("TestCheckAndMutate.passes", Kind.PASSED),
                        tuple("TestCheckAndMutate.isIgnored", Kind.IGNORED),
                        tuple("TestCheckAndMutate.assumes", Kind.IGNORED));
        assertThat(outcomesOf(TestsElsewhere.class))
                .extracting(Outcome::test, Outcome::kind)
                .containsExactly(tuple("TestCheckAndMutate.(class)", Kind.IGNORED));
    }

    @Test
    void everyFailureOfATestIsAnOutcome() {
        assertThat(outcomesOf(Tests.class))
                .filteredOn(Outcome::isBad)
                .extracting(Outcome::test)
                .containsExactlyInAnyOrder(
                        "TestCheckAndMutate.fails", "TestCheckAndMutate.failsTwice", "TestCheckAndMutate.failsTwice");
    }
}
