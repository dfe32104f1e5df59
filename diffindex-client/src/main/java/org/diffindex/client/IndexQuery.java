package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A query by an index: equal values of its first columns, a list of values of the next one, a range or a prefix of those
 * that follow, and options. Immutable.
 *
 * <pre>{@code
 * IndexQuery.index("by_origin").equalTo("ORD").limit(10).withRows().build();
 * IndexQuery.index("by_origin_date").equalTo("ORD").from("2008-01-01").to("2008-02-01").build();
 * IndexQuery.index("by_origin_date").in("ORD", "LAX").prefix("2008-01").reverse().build();
 * }</pre>
 *
 * <p>A value is either a {@code byte[]} (value bytes, as {@link org.diffindex.model.ColumnType} defines them) or a Java
 * value that the column's type accepts, such as a String, Integer, Long or Double, or {@linkplain #ofText text} that the type
 * parses. Values are converted when the query is bound to the index's definition, because the columns' types are not known
 * before. Whatever is wrong with a query fails then, or already when it is built, with an {@link InvalidQueryException},
 * before anything is read.
 *
 * <p>The values of {@link Builder#equalTo} apply to the index's first columns, those of {@link Builder#in} to the column
 * after them, those of the bounds or of {@link Builder#prefix} to the columns that follow. A bound of several values is
 * compared column by column. A bound of fewer values than there are columns left stands for every key that begins with it:
 * {@code from} and {@code toInclusive} include all of these keys, {@code to} excludes all of them. The end of a range must
 * be above its start.
 */
public final class IndexQuery {
    private static final int DEFAULT_CACHING = 100;

    private final String index;
    private final QueryConditions conditions;
    private final ScanDirection direction;
    private final Optional<PageToken> position;
    private final long limit;
    private final boolean withRows;
    private final int caching;

    private IndexQuery(Builder builder) {
        this.index = builder.index;
        this.conditions = new QueryConditions(
                List.copyOf(builder.equalTo),
                List.copyOf(builder.in),
                List.copyOf(builder.from),
                List.copyOf(builder.to),
                builder.toInclusive,
                builder.prefix);
        this.direction = builder.direction;
        this.position = builder.position;
        this.limit = builder.limit;
        this.withRows = builder.withRows;
        this.caching = builder.caching;
    }

    /** Starts a query by the index of that name; without further conditions it reads the whole index in order. */
    public static Builder index(String name) {
        return new Builder(name);
    }

    /**
     * Returns a value of a query that is written as text, as on a command line. The type of its column parses it, as {@link
     * org.diffindex.model.ColumnType#parse} says, when the query is bound to the index's definition; a text that is no value
     * of the type fails then, with an {@link InvalidQueryException}.
     *
     * @return a value for each method of the {@link Builder} that takes values; also what a value begins with
     */
    public static Object ofText(String text) {
        return new TextValue(Objects.requireNonNull(text, "text"));
    }

    /** Returns the name of the index. */
    public String index() {
        return index;
    }

    /** Returns the values of the first columns; empty for all keys. */
    public List<Object> equalTo() {
        return conditions.equalTo();
    }

    /** Returns the values that the column after those of {@link #equalTo} may have, as given; empty for all. */
    public List<Object> in() {
        return conditions.in();
    }

    /** Returns what the value of the column that follows begins with; empty for all. */
    public Optional<Object> prefix() {
        return conditions.prefix();
    }

    /** Returns the inclusive lower bound on the columns that follow; empty for none. */
    public List<Object> from() {
        return conditions.from();
    }

    /** Returns the upper bound on the columns that follow; empty for none. */
    public List<Object> to() {
        return conditions.to();
    }

    /** Returns whether keys that begin with the upper bound are hits. */
    public boolean isToInclusive() {
        return conditions.toInclusive();
    }

    /** Returns whether hits come in the reverse order of the index's keys. */
    public boolean isReverse() {
        return direction == ScanDirection.REVERSE;
    }

    /** Returns the token behind whose hit the query begins; empty for the first hit. */
    public Optional<String> after() {
        return position.map(PageToken::encode);
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

    QueryConditions conditions() {
        return conditions;
    }

    ScanDirection direction() {
        return direction;
    }

    Optional<PageToken> position() {
        return position;
    }

    @Override
    public String toString() {
        return "index " + index + " " + conditions + " limit " + limit + (isReverse() ? " reverse" : "")
                + (position.isPresent() ? " after a token" : "");
    }

    /** Builds an {@link IndexQuery}. Not safe for use by many threads. */
    public static final class Builder {
        private final String index;
        private final List<Object> equalTo = new ArrayList<>();
        private final List<Object> in = new ArrayList<>();
        private final List<Object> from = new ArrayList<>();
        private final List<Object> to = new ArrayList<>();
        private boolean toInclusive;
        private Optional<Object> prefix = Optional.empty();
        private ScanDirection direction = ScanDirection.FORWARD;
        private Optional<PageToken> position = Optional.empty();
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

        /**
         * Sets the values that the column after those of {@link #equalTo} may have, in any order. Hits come in the order of
         * the index whatever the order of the values, and a value that is given twice counts once. Bounds and a prefix
         * apply to the columns after this one, for each of its values.
         *
         * <p>Each value is read by a call of its own, or several; under the synchronous schemes all but the last are read
         * once more at the end, for rows that have moved between them meanwhile.
         *
         * @throws InvalidQueryException if there is no value
         */
        public Builder in(Object... values) {
            if (values.length == 0) {
                throw new InvalidQueryException(
                        "An IN without values has no hits; give one value or more, or leave it out");
            }
            return replace(in, values);
        }

        /** Sets the inclusive lower bound on the columns after those of {@link #equalTo} and {@link #in}. */
        public Builder from(Object... values) {
            return replace(from, values);
        }

        /** Sets the exclusive upper bound on the columns after those of {@link #equalTo} and {@link #in}. */
        public Builder to(Object... values) {
            toInclusive = false;
            return replace(to, values);
        }

        /** Sets the inclusive upper bound on the columns after those of {@link #equalTo} and {@link #in}. */
        public Builder toInclusive(Object... values) {
            toInclusive = true;
            return replace(to, values);
        }

        /**
         * Sets the characters or bytes with which the value of the column after those of {@link #equalTo} and {@link #in}
         * begins; none at all, as {@code ""}, select every value. The column must be of type string or bytes, also as a
         * field of a packed column. A {@code byte[]} may end within a character; a String with half a surrogate pair has no
         * bytes, and is refused.
         */
        public Builder prefix(Object beginning) {
            this.prefix = Optional.of(copyOf(beginning));
            return this;
        }

        /**
         * Reads in the reverse order: the greatest key first, among equal values the greatest row key first. A limit keeps
         * the first hits in this order.
         */
        public Builder reverse() {
            this.direction = ScanDirection.REVERSE;
            return this;
        }

        /**
         * Begins behind the hit at which a scanner gave a token ({@link IndexScanner#token}). The conditions, the direction
         * and the index must be those of that scanner's query; limit, caching and {@link #withRows} may differ.
         *
         * @throws PageTokenException if the token is damaged, or of a later version; if it is of another query or index,
         *     that is thrown when the query is bound to the index's definition
         */
        public Builder after(String token) {
            this.position = Optional.of(PageToken.decode(Objects.requireNonNull(token, "token")));
            return this;
        }

        /**
         * Sets the maximum number of hits; without it all are returned.
         *
         * @throws InvalidQueryException if it is not positive
         */
        public Builder limit(long hits) {
            if (hits <= 0) {
                throw new InvalidQueryException("A limit must be positive: " + hits);
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
         * @throws InvalidQueryException if it is not positive
         */
        public Builder caching(int entries) {
            if (entries <= 0) {
                throw new InvalidQueryException("Caching must be positive: " + entries);
            }
            this.caching = entries;
            return this;
        }

        /**
         * Returns the query.
         *
         * @throws InvalidQueryException if it has a prefix and a range
         */
        public IndexQuery build() {
            return new IndexQuery(this);
        }

        private Builder replace(List<Object> part, Object... values) {
            part.clear();
            for (Object value : values) {
                part.add(copyOf(value));
            }
            return this;
        }

        private static Object copyOf(Object value) {
            Objects.requireNonNull(value, "A value of a query cannot be null");
            return value instanceof byte[] bytes ? bytes.clone() : value;
        }
    }
}
