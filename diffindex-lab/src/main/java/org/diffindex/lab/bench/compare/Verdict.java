package org.diffindex.lab.bench.compare;

/** The result of comparing a figure of report A with that of report B. */
enum Verdict {
    /** B is worse, and the spreads of the rounds leave no doubt. */
    WORSE("worse"),

    /** B is better, and the spreads of the rounds leave no doubt. */
    BETTER("better"),

    /** The difference, if any, may be chance. */
    WITHIN_SPREAD("within the spread"),

    /** The figure of A or of B has no interval: it has too few rounds, or a round that is not above zero. */
    NOT_JUDGED("without an interval"),

    /** The figure was measured at different rates in A and B, or other than no index to which it is related. */
    DIFFERENT_RATES("at different rates"),

    /** A round of A or of B, or of no index to which the figure is related, did not reach the rate requested of it. */
    BELOW_RATE("below the requested rate"),

    /** The experiment of the figure failed in A or in B, so that the figure may be one of wrong answers. */
    EXPERIMENT_FAILED("of a failed experiment"),

    /**
     * The figure is absolute, and another system was measured in only one of A and B, or different ones: the servers
     * are set up for it.
     */
    DIFFERENT_RIVALS("absolute and against different systems"),

    /** B does not have the figure. */
    ONLY_IN_A("only in A"),

    /** A does not have the figure. */
    ONLY_IN_B("only in B");

    private final String text;

    Verdict(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** Returns whether A and B could be compared. */
    boolean isOfBoth() {
        return isChange() || this == WITHIN_SPREAD;
    }

    /** Returns whether the rates keep A and B from being compared. */
    boolean isOfRates() {
        return this == DIFFERENT_RATES || this == BELOW_RATE;
    }

    /** Returns whether the difference counts. */
    boolean isChange() {
        return this == WORSE || this == BETTER;
    }
}
