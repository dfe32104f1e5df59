package org.diffindex.server.sim;

/** A violation that a run found of what must always hold. */
final class Finding extends Error {
    private static final long serialVersionUID = 1;

    Finding(String what) {
        super(what);
    }

    Finding(String what, Throwable cause) {
        super(what, cause);
    }
}
