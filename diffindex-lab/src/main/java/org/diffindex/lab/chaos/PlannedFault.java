package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Optional;

/**
 * One fault of a plan.
 *
 * @param kind its kind
 * @param gapMillis the wait before it, in milliseconds
 * @param holdMillis how long it lasts, in milliseconds, if its kind lasts
 * @param choice the number that selects the target among those available when the fault is applied
 * @param meanwhile a fault that overlaps this one; its gap counts from the start of this one
 */
record PlannedFault(FaultKind kind, long gapMillis, long holdMillis, int choice, Optional<PlannedFault> meanwhile) {
    /** Returns the target that the choice selects. */
    <T> T choose(List<T> targets) {
        return targets.get(Math.floorMod(choice, targets.size()));
    }
}
