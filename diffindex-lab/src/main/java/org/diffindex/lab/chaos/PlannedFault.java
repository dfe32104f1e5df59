package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Optional;

/**
 * One fault of a plan.
 *
 * @param kind what is to happen
 * @param gapMillis how long to wait before it
 * @param holdMillis how long it lasts, if it is of a lasting kind
 * @param choice chooses its target among those that there are then
 * @param meanwhile a second fault, while this one lasts; its gap counts from the begin of this one
 */
record PlannedFault(FaultKind kind, long gapMillis, long holdMillis, int choice, Optional<PlannedFault> meanwhile) {
    /** The target among these. */
    <T> T choose(List<T> targets) {
        return targets.get(Math.floorMod(choice, targets.size()));
    }
}
