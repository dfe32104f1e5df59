package org.diffindex.lab.bench.rivals;

import org.diffindex.lab.bench.statistics.Contender;

/**
 * A goal of Diff-Index relative to a contender of another system: to be a number of times as fast under the same load.
 *
 * @param figure the name of the figure
 * @param experiment the name of the experiment
 * @param amount the amount of the load
 * @param value the name of the value that is compared: a rate, {@code per_second}, or a duration
 * @param ours the contender of Diff-Index
 * @param theirs the contender of the other system
 * @param times how many times as fast Diff-Index should be, at least
 */
public record RivalGoal(
        String figure,
        String experiment,
        double amount,
        String value,
        Contender ours,
        Contender theirs,
        double times) {}
