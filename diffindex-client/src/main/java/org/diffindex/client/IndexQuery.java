package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A query by an index: equal values of its first columns, a range of those that follow, and options. Immutable.
 *
 * <pre>{@code
 * IndexQuery.index("by_origin").equalTo("ORD").limit(10).withRows().build();
 * IndexQuery.index("by_origin_date").equalTo("ORD").from("2008-01-01").to("2008-02-01").build();
 * }</pre>
 *
 * <p>A value is either a {@code byte[]} (value bytes, as {@link org.diffindex.model.ColumnType} defines them) or a Java
 * value that the column's type accepts, such as a String, Integer, Long or Double. Values are converted when the query
 * runs, because the columns' types are not known before.
 *
 * <p>The values of {@link Builder#equalTo} apply to the index's first columns, those of the bounds to the columns that
 * follow. A bound of several values is compared column by column. A bound of fewer values than there are columns left
 * stands for every key that begins with it: {@code from} and {@code toInclusive} include all of these keys, {@code to}
 * excludes all of them. A range whose end is not above its start has no hits.
 */
public final class IndexQuery {
    private static final int DEFAULT_CACHING = 100;

    private final String index;
    private final List<Object> equalTo;
    private final List<Object> from;
    private final List<Object> to;
    private final boolean toInclusive;
    private final long limit;
    private final boolean withRows;
    private final int caching;

    private IndexQuery(Builder builder) {
        this.index = builder.index;
        this.equalTo = List.copyOf(builder.equalTo);
        this.from = List.copyOf(builder.from);
        this.to = List.copyOf(builder.to);
        this.toInclusive = builder.toInclusive;
        this.limit = builder.limit;
        this.withRows = builder.withRows;
        this.caching = builder.caching;
    }

    /** Starts a query by the index of that name; without further conditions it reads the whole index in order. */
    public static Builder index(String name) {
        return new Builder(name);
    }

    /** Returns the name of the index. */
    public String index() {
        return index;
    }

    /** Returns the values of the first columns; empty for all keys. */
    public List<Object> equalTo() {
        return equalTo;
    }

    /** Returns the inclusive lower bound on the columns after those of {@link #equalTo}; empty for none. */
    public List<Object> from() {
        return from;
    }

    /** Returns the upper bound on the columns after those of {@link #equalTo}; empty for none. */
    public List<Object> to() {
        return to;
    }

    /** Returns whether keys that begin with the upper bound are hits. */
    public boolean isToInclusive() {
        return toInclusive;
    }

    /** Returns the maximum number of hits; {@code Long.MAX_VALUE} for all. */
    public long limit() {
        return limit;
    }

    /** Returns whether hits carry their base rows. */
    public boolean isWithRows() {
        return withRows;
    }

    /** Returns how many entries are fetched, and how many base rows are looked up, in one call. */
    public int caching() {
        return caching;
    }

    @Override
    public String toString() {
        return "index " + index + " equalTo " + QueryBounds.show(equalTo) + " from " + QueryBounds.show(from)
                + (toInclusive ? " toInclusive " : " to ") + QueryBounds.show(to) + " limit " + limit;
    }

    /** Builds an {@link IndexQuery}. Not safe for use by many threads. */
    public static final class Builder {
        private final String index;
        private final List<Object> equalTo = new ArrayList<>();
        private final List<Object> from = new ArrayList<>();
        private final List<Object> to = new ArrayList<>();
        private boolean toInclusive;
        private long limit = Long.MAX_VALUE;
        private boolean withRows;
        private int caching = DEFAULT_CACHING;

        private Builder(String index) {
            this.index = Objects.requireNonNull(index, "index");
        }

        /**
         * Sets the values of the first columns, one or more; fewer values than the index has columns select all keys
         * that begin with them.
         */
        public Builder equalTo(Object... values) {
            return replace(equalTo, values);
        }

        /** Sets the inclusive lower bound on the columns after those of {@link #equalTo}. */
        public Builder from(Object... values) {
            return replace(from, values);
        }

        /** Sets the exclusive upper bound on the columns after those of {@link #equalTo}. */
        public Builder to(Object... values) {
            toInclusive = false;
            return replace(to, values);
        }

        /** Sets the inclusive upper bound on the columns after those of {@link #equalTo}. */
        public Builder toInclusive(Object... values) {
            toInclusive = true;
            return replace(to, values);
        }

        /**
         * Sets the maximum number of hits; without it all are returned.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder limit(long hits) {
            if (hits < 0) {
                throw new IllegalArgumentException("A limit cannot be negative: " + hits);
            }
            this.limit = hits;
            return this;
        }

        /** Requests each hit's whole base row; see {@link IndexHit#result}. */
        public Builder withRows() {
            this.withRows = true;
            return this;
        }

        /**
         * Sets how many entries are fetched, and how many base rows are looked up, in one call; 100 by default.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder caching(int entries) {
            if (entries <= 0) {
                throw new IllegalArgumentException("Caching must be positive: " + entries);
            }
            this.caching = entries;
            return this;
        }

        /** Returns the query. */
        public IndexQuery build() {
            return new IndexQuery(this);
        }

        private Builder replace(List<Object> part, Object... values) {
            part.clear();
            for (Object value : values) {
                Objects.requireNonNull(value, "A value of a query cannot be null");
                part.add(value instanceof byte[] bytes ? bytes.clone() : value);
            }
            return this;
        }
    }
}
