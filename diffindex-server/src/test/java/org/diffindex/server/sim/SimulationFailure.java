package org.diffindex.server.sim;

/** What a run found: something that must never be. */
final class SimulationFailure extends Error {
    private static final long serialVersionUID = 1;

    SimulationFailure(String what) {
        super(what);
    }

    SimulationFailure(String what, Throwable cause) {
        super(what, cause);
    }
}
