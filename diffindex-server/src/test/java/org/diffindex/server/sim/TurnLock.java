package org.diffindex.server.sim;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that is never contended: an actor that holds it yields only while it waits at the lock's condition, and that
 * wait is at the scheduler.
 */
final class TurnLock implements Lock {
    private final Scheduler scheduler;
    private int signals;

    TurnLock(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void lock() {
        // no other actor runs
    }

    @Override
    public void unlock() {
        // no other actor waits
    }

    @Override
    public boolean tryLock() {
        return true;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        return true;
    }

    @Override
    public void lockInterruptibly() {
        // like lock()
    }

    @Override
    public Condition newCondition() {
        return new Condition() {
            @Override
            public long awaitNanos(long nanos) {
                int before = signals;
                long start = scheduler.nowNanos();
                scheduler.await("at a condition", () -> signals != before, nanos);
                return nanos - (scheduler.nowNanos() - start);
            }

            @Override
            public void signalAll() {
                signals++;
            }

            @Override
            public void signal() {
                signals++;
            }

            @Override
            public void await() {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean await(long time, TimeUnit unit) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void awaitUninterruptibly() {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean awaitUntil(java.util.Date deadline) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
