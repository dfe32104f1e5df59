package org.diffindex.server.sim;

/** A violation that a run found of what must always hold. */
final class SimulationFailure extends Error {
    private static final long serialVersionUID = 1;

    SimulationFailure(String what) {
        super(what);
    }

    SimulationFailure(String what, Throwable cause) {
        super(what, cause);
    }
}
