package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/** An executor whose tasks a test runs on its own thread, in any order. */
final class Tasks implements Executor {
    private final List<Runnable> waiting = new ArrayList<>();
    private final Random random;

    /** Creates an executor that chooses the next task at random. */
    Tasks(Random random) {
        this.random = random;
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
    }

    /** Runs tasks, and those that they add, until none is left; another action before each. */
    void runAll(Runnable before) {
        while (!waiting.isEmpty()) {
            before.run();
            waiting.remove(random.nextInt(waiting.size())).run();
        }
    }

    void runAll() {
        runAll(() -> {});
    }
}
