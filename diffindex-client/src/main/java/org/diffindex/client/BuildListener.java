package org.diffindex.client;

import org.diffindex.model.IndexDefinition;

/** Follows the build of an index, which the master runs. Called by the thread that waits for it. */
@FunctionalInterface
public interface BuildListener {
    /** A listener that does nothing. */
    BuildListener NONE = status -> {};

    /** Receives how far the build is, several times a second. An exception thrown here ends the wait, not the build. */
    void progress(BuildStatus status);

    /** Receives the index first, if the creation has found it BUILDING. */
    default void continued(IndexDefinition index) {}
}
