package org.diffindex.cli.doctor;

import java.util.Locale;

/** How bad a finding is. */
enum Level {
    /** As it should be. */
    OK,
    /** A promise is weaker than it could be, or something was not tried or could not be seen. */
    WARNING,
    /** A promise is broken or will be, or an index cannot be used. */
    PROBLEM;

    /** As it is printed. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
