package org.diffindex.lab.bench.compare;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A goal of a report.
 *
 * @param figure the name of its figure
 * @param bound the bound on the figure, in words
 * @param measured the figure; empty if it was not measured
 * @param met whether the goal was met; empty if that was undecided
 */
record RecordedGoal(String figure, String bound, OptionalDouble measured, Optional<Boolean> met) {}
