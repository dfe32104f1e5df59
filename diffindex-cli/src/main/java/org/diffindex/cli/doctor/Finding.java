package org.diffindex.cli.doctor;

/**
 * A finding of a check.
 *
 * @param level how serious it is
 * @param check the check's name
 * @param state what is true now
 * @param advice what to change; empty if nothing
 */
record Finding(Level level, String check, String state, String advice) {
    static Finding ok(Check check, String state) {
        return new Finding(Level.OK, check.name(), state, "");
    }

    static Finding warning(Check check, String state, String advice) {
        return new Finding(Level.WARNING, check.name(), state, advice);
    }

    static Finding problem(Check check, String state, String advice) {
        return new Finding(Level.PROBLEM, check.name(), state, advice);
    }
}
