package org.diffindex.server.sim;

/** What a run found: something that must never be. */
final class Finding extends Error {
    private static final long serialVersionUID = 1;

    Finding(String what) {
        super(what);
    }

    Finding(String what, Throwable cause) {
        super(what, cause);
    }
}
