package org.diffindex.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What a scan of an index table asks each region for in place of its entries. The response is a scan's: rows in key order, each of
 * which stands for the entries behind the row before it, up to its own key. So a scanner that is lost continues behind the last
 * row, and counts no entry twice and none not at all.
 *
 * <p>A scan asks by an attribute: a word, and the arguments, each behind a line feed. A server of a build that does not know the
 * attribute, or the word, refuses the scan ({@link CallAttributes}).
 */
public sealed interface Aggregate {
    String ATTRIBUTE = "diffindex.aggregate";

    /**
     * The number of entries, apart for each group of successive entries with the same values in the first columns. A row of the
     * response is an {@link EntryCount}; several may belong to one group.
     *
     * @param groupedBy the types of the columns that make a group, the first one first; none if all entries are one group
     */
    record Count(List<ColumnType> groupedBy) implements Aggregate {
        private static final String WORD = "count";

        /** Copies the list. */
        public Count {
            groupedBy = List.copyOf(groupedBy);
        }

        @Override
        public String toText() {
            List<String> parts = new ArrayList<>(List.of(WORD));
            groupedBy.forEach(type -> parts.add(type.expression()));
            return String.join("\n", parts);
        }
    }

    /**
     * The newest entries by their {@linkplain IndexEntry#timestamp base timestamps}; of two with the same timestamp that of the
     * lesser key is taken for the newer one. A row of the response is such an entry, as a scan of entries returns it. There may be
     * more of them: those of each region, and of each step in which a region reads its entries.
     *
     * @param most how many are wanted
     */
    record Newest(int most) implements Aggregate {
        /** The most entries that a scan may ask for. */
        public static final int MOST = 10_000;

        private static final String WORD = "newest";

        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if it is below 1 or above {@link #MOST}
         */
        public Newest {
            if (most < 1 || most > MOST) {
                throw new IllegalArgumentException("1 to " + MOST + " entries can be asked for, not " + most);
            }
        }

        @Override
        public String toText() {
            return WORD + "\n" + most;
        }
    }

    /** Returns the value of the attribute. */
    String toText();

    /** Makes a scan ask for an aggregate; returns the same scan. */
    static Scan askFor(Scan scan, Aggregate aggregate) {
        return scan.setAttribute(ATTRIBUTE, Bytes.toBytes(aggregate.toText()));
    }

    /**
     * Returns the aggregate that a scan asks for; empty if it asks for the entries.
     *
     * @throws IllegalArgumentException if this build does not know it, or cannot load the type of a column
     */
    static Optional<Aggregate> of(Scan scan) {
        byte[] text = scan.getAttribute(ATTRIBUTE);
        return text == null ? Optional.empty() : Optional.of(parse(Bytes.toString(text)));
    }

    private static Aggregate parse(String text) {
        String[] parts = text.split("\n", -1);
        if (parts[0].equals(Count.WORD)) {
            return new Count(Stream.of(parts).skip(1).map(ColumnTypes::parse).toList());
        }
        if (parts[0].equals(Newest.WORD) && parts.length == 2) {
            return new Newest(Integer.parseInt(parts[1]));
        }
        throw new IllegalArgumentException("No aggregate is called '" + text + "'");
    }
}
