package org.diffindex.server.sim;

import java.util.Arrays;

/** A violation that a run found of what must always hold, or an exception or hang that ended it. */
final class SimulationFailure extends Error {
    private static final long serialVersionUID = 1;
    private static final String HANG = "The run hangs; the simulation itself is at fault, at ";
    private static final String CODE = "org.diffindex.";
    private static final String SIMULATION = SimulationFailure.class.getPackageName() + ".";

    SimulationFailure(String what) {
        super(what);
    }

    SimulationFailure(String what, Throwable cause) {
        super(what, cause);
    }

    /** Returns the failure of a run in which an actor neither ends nor waits. */
    static SimulationFailure hang(String actor) {
        return new SimulationFailure(HANG + actor);
    }

    /**
     * Returns whether the code under test is at fault: the run did not hang, and was not ended by an exception that the
     * simulation, or the faulty part of a {@link Defect}, threw by mistake.
     */
    boolean isViolation() {
        return !getMessage().startsWith(HANG) && !isThrownBySimulation(firstUnchecked());
    }

    /** Returns the unchecked exception that caused all others; this one if there is none. */
    private Throwable firstUnchecked() {
        Throwable first = this;
        for (Throwable each = this; each != null; each = each.getCause()) {
            if (each instanceof RuntimeException || each instanceof Error) {
                first = each;
            }
        }
        return first;
    }

    private static boolean isThrownBySimulation(Throwable unchecked) {
        return !(unchecked instanceof SimulationFailure)
                && Arrays.stream(unchecked.getStackTrace())
                        .map(StackTraceElement::getClassName)
                        .filter(name -> name.startsWith(CODE))
                        .findFirst()
                        .filter(name -> name.startsWith(SIMULATION))
                        .isPresent();
    }
}
