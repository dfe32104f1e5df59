package org.diffindex.cli.doctor;

import java.util.Locale;

/** How serious a finding is. */
enum Level {
    /** Nothing to change. */
    OK,
    /** A promise is weaker than it could be, or something is untested or could not be examined. */
    WARNING,
    /** A promise is broken or will be, or an index cannot be used. */
    PROBLEM;

    /** Returns the printed form. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
