package org.diffindex.cli.doctor;

import java.util.List;

/** Judges one thing about a cluster. Pure: all that it knows is what was seen before. */
interface Check {
    /** A short name, in lower case with hyphens. */
    String name();

    /** What it finds; nothing if the cluster has nothing that it could judge, or nothing of it could be seen. */
    List<Finding> examine(ClusterView cluster);
}
