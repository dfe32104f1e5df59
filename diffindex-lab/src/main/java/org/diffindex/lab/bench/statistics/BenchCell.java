package org.diffindex.lab.bench.statistics;

import java.util.List;

/**
 * The subject of one measurement: a contender under a load. The term is that of statistics, not HBase's.
 *
 * @param contender the contender
 * @param load the load in words with its unit, such as {@code 8 clients}
 * @param amount the load as a number in that unit
 */
public record BenchCell(Contender contender, String load, double amount) {
    /** Returns the cells of one load, one for each contender. */
    public static List<BenchCell> ofEach(List<Contender> contenders, String load, double amount) {
        return contenders.stream()
                .map(contender -> new BenchCell(contender, load, amount))
                .toList();
    }

    @Override
    public String toString() {
        return contender.label() + ", " + load;
    }
}
