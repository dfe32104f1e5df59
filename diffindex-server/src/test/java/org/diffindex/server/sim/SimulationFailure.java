package org.diffindex.server.sim;

import java.net.URL;
import java.util.Arrays;

/** A violation that a run found of what must always hold, or an exception or hang that ended it. */
final class SimulationFailure extends Error {
    private static final long serialVersionUID = 1;
    private static final String CODE = "org.diffindex.";
    private static final URL TESTS = locationOf(SimulationFailure.class);

    /** The kind of a failure. */
    enum Kind {
        /** An index does not hold what the base asks for. */
        INDEX,
        /** The base does not show an acknowledged write. */
        BASE,
        /** A read found what it must not find, or missed a row. */
        READ,
        /** A valid write was refused, or failed. */
        REFUSAL,
        /** A server gave a timestamp that is too far ahead. */
        TIMESTAMP,
        /** A call is made where none may be made, or one too many. */
        CALL,
        /** A delivery, a flush or the run does not end. */
        STUCK,
        /** An exception that nothing expects. */
        ERROR,
        /** The simulation itself does not go on. */
        HANG
    }

    private final Kind kind;

    SimulationFailure(Kind kind, String what) {
        super(what);
        this.kind = kind;
    }

    SimulationFailure(Kind kind, String what, Throwable cause) {
        super(what, cause);
        this.kind = kind;
    }

    /** Returns the failure of a run in which an actor neither ends nor waits. */
    static SimulationFailure hang(String actor) {
        return new SimulationFailure(Kind.HANG, "The run hangs; the simulation itself is at fault, at " + actor);
    }

    /**
     * Returns whether the code under test is at fault: the run did not hang, and was not ended by an exception that the
     * simulation, another class of the tests, or the faulty part of a {@link Defect}, threw by mistake.
     */
    boolean isViolation() {
        return kind != Kind.HANG && !isThrownByTests(firstUnchecked());
    }

    /** Returns the kind of the first violation, that caused all others; {@link Kind#ERROR} for an exception. */
    Kind kind() {
        return firstUnchecked() instanceof SimulationFailure failure ? failure.kind : Kind.ERROR;
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

    private static boolean isThrownByTests(Throwable unchecked) {
        return !(unchecked instanceof SimulationFailure)
                && Arrays.stream(unchecked.getStackTrace())
                        .map(StackTraceElement::getClassName)
                        .filter(name -> name.startsWith(CODE))
                        .findFirst()
                        .filter(SimulationFailure::isOfTests)
                        .isPresent();
    }

    private static boolean isOfTests(String className) {
        try {
            Class<?> type = Class.forName(className, false, SimulationFailure.class.getClassLoader());
            return locationOf(type).toString().equals(TESTS.toString());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("A class that was running cannot be found", e);
        }
    }

    private static URL locationOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
