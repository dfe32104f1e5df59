package org.diffindex.client;

import java.util.Objects;

/**
 * How the columns of an index are changed. Immutable.
 *
 * @param build how the build of the shadow begins; of no effect if it has begun
 * @param allowsLeftOut whether readers go over although the build has left rows out, which the new columns cannot index: a value
 *     does not decode, or the key would be too long. Readers do not find these rows afterwards
 */
public record ColumnsChangeOptions(BuildOptions build, boolean allowsLeftOut) {
    /** A build that begins at once and is not limited; readers go over only if no row was left out. */
    public static final ColumnsChangeOptions DEFAULT = new ColumnsChangeOptions(BuildOptions.DEFAULT, false);

    /** Creates options. */
    public ColumnsChangeOptions {
        Objects.requireNonNull(build, "build");
    }

    /** Returns these options with another beginning of the build. */
    public ColumnsChangeOptions building(BuildOptions newBuild) {
        return new ColumnsChangeOptions(newBuild, allowsLeftOut);
    }

    /** Returns these options for a change that does not wait for rows that were left out. */
    public ColumnsChangeOptions allowingLeftOut() {
        return new ColumnsChangeOptions(build, true);
    }
}
