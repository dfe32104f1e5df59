package org.diffindex.server.sim;

/** Thrown in an actor whose server has crashed, to end its thread. No code may handle it. */
final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
        super("The server of this actor has crashed", null, false, false);
    }
}
