package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests until when a server may answer, with a session that ends after 30 seconds of silence. */
class SessionLeaseTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<Runnable> unanswered = new ArrayList<>();
    private long now = Long.MAX_VALUE - 10 * SECOND; // System.nanoTime() may have any value, and overflow
    private boolean connected = true;

    private final SessionLease lease = new SessionLease(
            new SessionLease.Session() {
                @Override
                public Duration timeout() {
                    return Duration.ofSeconds(30);
                }

                @Override
                public void ask(Runnable goesOn) throws IOException {
                    if (!connected) {
                        throw new IOException("no connection");
                    }
                    unanswered.add(goesOn);
                }
            },
            () -> now);

    @AfterEach
    void close() {
        lease.close();
    }

    private void answer() {
        unanswered.forEach(Runnable::run);
        unanswered.clear();
    }

    @Test
    void doesNotHoldBeforeTheFirstAnswer() {
        assertThat(lease.holds()).isFalse();
        lease.renew();
        assertThat(lease.holds()).isFalse();
        answer();
        assertThat(lease.holds()).isTrue();
    }

    @Test
    void endsHalfATimeoutAfterTheRequestHoweverLateTheAnswer() {
        lease.renew();
        now += 14 * SECOND;
        answer();
        assertThat(lease.holds()).isTrue();
        now += SECOND;
        assertThat(lease.holds()).isFalse();
    }

    /** Else the end of a server might look like an internal error. */
    @Test
    void aCloseDuringARenewalEndsTheRenewals() {
        lease.close();
        assertThatCode(lease::keepUp).doesNotThrowAnyException();
    }

    @Test
    void anAnswerThatComesAfterASleepDoesNotRenewIt() {
        lease.renew();
        now += 60 * SECOND;
        answer();
        assertThat(lease.holds()).isFalse();
    }

    @Test
    void theAnswerToAnEarlierRequestDoesNotShortenIt() {
        lease.renew();
        now += SECOND;
        lease.renew();
        unanswered.get(1).run();
        unanswered.get(0).run();
        now += 14 * SECOND;
        assertThat(lease.holds()).isTrue();
    }

    @Test
    void expiresWhileZooKeeperCannotBeAsked() {
        lease.renew();
        answer();
        connected = false;
        now += 10 * SECOND;
        lease.renew();
        assertThat(lease.holds()).isTrue();
        now += 10 * SECOND;
        lease.renew();
        assertThat(lease.holds()).isFalse();
        connected = true;
        lease.renew();
        answer();
        assertThat(lease.holds()).isTrue();
    }

    @Test
    void isLongOverAnHourAfterItsEnd() {
        lease.renew();
        answer();
        now += 3_600 * SECOND;
        assertThat(lease.isLongOver()).isFalse();
        now += 20 * SECOND;
        assertThat(lease.isLongOver()).isTrue();
    }

    @Test
    void rejectsReadsWhenItDoesNotHold() {
        RegionCoprocessorEnvironment env = mock(RegionCoprocessorEnvironment.class);
        when(env.getRegionInfo())
                .thenReturn(RegionInfoBuilder.newBuilder(TableName.valueOf("flights.by_origin"))
                        .build());
        assertThatThrownBy(() -> lease.require(env))
                .isInstanceOf(NotServingRegionException.class)
                .hasMessageContaining("nothing was read")
                .hasMessageContaining("flights.by_origin");
    }
}
