package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.Callable;

/** A client that repeatedly reads by value. For one thread. */
final class ReaderClient implements Callable<Void> {
    private final Workload work;
    private final Random random;
    private final Pace pace;

    /** Creates a client that reads at a {@link Pace}. */
    ReaderClient(Workload work, Random random, double perSecond) {
        this.work = work;
        this.random = random;
        this.pace = new Pace(perSecond, random);
    }

    @Override
    public Void call() throws InterruptedException {
        while (!work.stopped().get()) {
            read(IndexReads.Question.any(random));
            pace.pause();
        }
        return null;
    }

    private void read(IndexReads.Question question) throws InterruptedException {
        try {
            work.reads().read(question);
        } catch (IOException e) {
            work.log().comment("a read by " + question.index() + " failed by " + e);
            pace.pause(); // already counted; a failed read promises nothing
        }
    }
}
