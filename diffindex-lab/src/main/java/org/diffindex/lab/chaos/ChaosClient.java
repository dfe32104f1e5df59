package org.diffindex.lab.chaos;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;

/** A client that writes its own rows, and occasionally shared ones. For one thread. */
abstract class ChaosClient implements Callable<Void> {
    final Workload work;
    final RowSlots own;
    final RowSlots shared;
    final Random random;
    final Pace pace;
    final ChangeMaker maker;
    final WriteRecorder recorder;

    /**
     * Creates a client.
     *
     * @param own rows that no other client writes
     * @param shared rows that others also write
     * @param perSecond the rate, see {@link Pace}
     */
    ChaosClient(Workload work, RowSlots own, RowSlots shared, Random random, double perSecond, Duration rpcTimeout) {
        this.work = work;
        this.own = own;
        this.shared = shared;
        this.random = random;
        this.pace = new Pace(perSecond, random);
        this.maker = new ChangeMaker(random);
        this.recorder = new WriteRecorder(work, rpcTimeout);
    }

    /** Returns one of these rows, chosen at random. */
    RowHistory pick(RowSlots slots) {
        return slots.get(random.nextInt(slots.count()));
    }
}
