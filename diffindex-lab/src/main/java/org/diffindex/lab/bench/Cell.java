package org.diffindex.lab.bench;

/**
 * What one measurement of an experiment is of.
 *
 * @param contender who is measured
 * @param load under which load, in words with its unit, such as {@code 8 threads}
 * @param amount the load as a number, in the unit of its words
 */
record Cell(Contender contender, String load, double amount) {
    @Override
    public String toString() {
        return contender.label() + ", " + load;
    }
}
