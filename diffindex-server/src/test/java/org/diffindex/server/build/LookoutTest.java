package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests how often a master looks for work. */
class LookoutTest {
    private static final long SECONDS = 30;

    /** A script that grants a thousand permissions would otherwise have the master look a thousand times. */
    @Test
    void changesDuringALookCauseOneMore() throws InterruptedException {
        CountDownLatch isLooking = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch secondEnds = new CountDownLatch(2);
        AtomicInteger looks = new AtomicInteger();
        try (Lookout lookout = new Lookout("test")) {
            Runnable look = () -> {
                looks.incrementAndGet();
                isLooking.countDown();
                try {
                    assertThat(mayGoOn.await(SECONDS, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                secondEnds.countDown();
            };
            lookout.lookSoon(look);
            assertThat(isLooking.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 1_000; i++) {
                lookout.lookSoon(look);
            }
            mayGoOn.countDown();
            assertThat(secondEnds.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            CountDownLatch last = new CountDownLatch(1);
            lookout.lookSoon(last::countDown);
            assertThat(last.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(looks).hasValue(2);
    }

    @Test
    void aLookThatFailsIsFollowedByTheNext() throws InterruptedException {
        CountDownLatch looked = new CountDownLatch(1);
        try (Lookout lookout = new Lookout("test")) {
            lookout.lookSoon(() -> {
                looked.countDown();
                throw new IllegalStateException("on purpose");
            });
            assertThat(looked.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            CountDownLatch next = new CountDownLatch(1);
            lookout.lookSoon(next::countDown);
            assertThat(next.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }
}
