package org.diffindex.client;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The conditions of a query, as they were given: on the first columns of an index equal values, on the next one a list of
 * values or none, on those that follow a range, or on one of them a prefix. Immutable; knows no columns and no types.
 *
 * @param equalTo the values of the first columns
 * @param in the values that the next column may have; empty if every value is a hit
 * @param from the inclusive lower bound on the columns that follow; empty for none
 * @param to the upper bound on the columns that follow; empty for none
 * @param toInclusive whether keys that begin with the upper bound are hits
 * @param prefix what the value of the column that follows begins with
 */
record QueryConditions(
        List<Object> equalTo,
        List<Object> in,
        List<Object> from,
        List<Object> to,
        boolean toInclusive,
        Optional<Object> prefix) {
    QueryConditions {
        if (prefix.isPresent() && !(from.isEmpty() && to.isEmpty())) {
            throw new InvalidQueryException(
                    "A query has a prefix, " + show(List.of(prefix.get())) + ", or a range, from " + show(from) + " to "
                            + show(to) + ", of the column that follows, not both; leave one of them out");
        }
    }

    /** Formats values of a query for messages. */
    static String show(List<Object> values) {
        return values.stream()
                .map(value -> value instanceof byte[] bytes ? Bytes.toStringBinary(bytes) : value.toString())
                .collect(Collectors.joining(", ", "(", ")"));
    }

    @Override
    public String toString() {
        return "equalTo " + show(equalTo)
                + (in.isEmpty() ? "" : " in " + show(in))
                + prefix.map(value -> " prefix " + show(List.of(value))).orElse("")
                + " from " + show(from)
                + (toInclusive ? " toInclusive " : " to ") + show(to);
    }
}
