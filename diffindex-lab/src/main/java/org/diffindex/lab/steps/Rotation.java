package org.diffindex.lab.steps;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Rotates the order of compared things: each turn starts with the next thing, and after as many turns as there are
 * things, each has been at every place once.
 */
public final class Rotation {
    private Rotation() {}

    /** Returns the things in the order of a turn; turns count from 0, and turn 0 has the given order. */
    public static <T> List<T> of(List<T> things, int turn) {
        List<T> order = new ArrayList<>(things);
        Collections.rotate(order, -turn);
        return order;
    }
}
