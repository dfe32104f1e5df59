package org.diffindex.cli.doctor;

import java.util.List;

/** Examines one aspect of a cluster. Pure: depends on the view only. */
interface Check {
    /** Returns a short name, in lower case with hyphens. */
    String name();

    /** Returns the findings; none if the view contains nothing that the check can examine. */
    List<Finding> examine(ClusterView cluster);
}
