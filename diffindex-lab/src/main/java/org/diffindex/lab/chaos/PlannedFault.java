package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Optional;

/**
 * One fault of a plan.
 *
 * @param kind its kind
 * @param gapMillis the pause before it
 * @param holdMillis how long it lasts, if its kind lasts
 * @param choice selects the target among those available then
 * @param meanwhile a fault that overlaps this one; its gap counts from the start of this one
 */
record PlannedFault(FaultKind kind, long gapMillis, long holdMillis, int choice, Optional<PlannedFault> meanwhile) {
    /** Selects a target. */
    <T> T choose(List<T> targets) {
        return targets.get(Math.floorMod(choice, targets.size()));
    }
}
