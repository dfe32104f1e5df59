package org.diffindex.ycsb;

/** The operations of {@link ItemWorkload}, each with its name in YCSB's output and the property of its proportion. */
enum ItemOperation {
    INSERT("INSERT", "insertproportion", 0),
    UPDATE("UPDATE", "updateproportion", 0.5),
    DELETE("DELETE", "deleteproportion", 0),
    READ("READ", "readproportion", 0),
    READ_BY_INDEX("READ-BY-INDEX", "readbyindexproportion", 0.5),
    RANGE_BY_INDEX("RANGE-BY-INDEX", "rangebyindexproportion", 0);

    private final String label;
    private final String property;
    private final double defaultProportion;

    ItemOperation(String label, String property, double defaultProportion) {
        this.label = label;
        this.property = property;
        this.defaultProportion = defaultProportion;
    }

    /** Returns the name in YCSB's output. */
    String label() {
        return label;
    }

    /** Returns the property for the operation's share of all operations. */
    String property() {
        return property;
    }

    double defaultProportion() {
        return defaultProportion;
    }

    boolean readsIndex() {
        return this == READ_BY_INDEX || this == RANGE_BY_INDEX;
    }
}
