package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * For which index, and perhaps for which region of its table, a call is: attributes that the index table's coprocessor reads.
 * They guard against accidents; against malice an index table needs HBase's access control.
 */
public final class IndexAddress {
    /**
     * The mutation attribute by which the index's own writes are told from those of a client that strayed into an index
     * table. Its value is the id of the index that the write is for; empty for the table of an index without one.
     */
    public static final String WRITER_ATTRIBUTE = "diffindex.writer";

    /** The attribute of a get or scan that names, by its id, the index that is to be read; absent or empty: whichever it is. */
    public static final String READER_ATTRIBUTE = "diffindex.reader";

    /** The attribute of a delete that names, by its encoded name, the only region that may carry it out. */
    private static final String REGION_ATTRIBUTE = "diffindex.region";

    /** How the message begins with which another region refuses such a delete. */
    public static final String NOT_IN_ITS_REGION = "Not deleted: the entry is in another region than it was";

    private IndexAddress() {}

    /** Makes a write one for that very index: the table of another one that was later given the same name refuses it. */
    public static <T extends Mutation> T of(T mutation, String index) {
        mutation.setAttribute(WRITER_ATTRIBUTE, Bytes.toBytes(index));
        return mutation;
    }

    /** Makes a read one of that very index: the table of another one that was later given the same name refuses it. */
    public static <T extends Query> T of(T read, String index) {
        read.setAttribute(READER_ATTRIBUTE, Bytes.toBytes(index));
        return read;
    }

    /**
     * Makes a delete one that only a certain region carries out: the one to which the put of the entry that replaces it goes in
     * the same call.
     *
     * @param region its encoded name; null for whichever region has the entry
     */
    public static void onlyIn(Delete delete, String region) {
        delete.setAttribute(REGION_ATTRIBUTE, region == null ? null : Bytes.toBytes(region));
    }

    /** The region that {@link #onlyIn} names. */
    public static Optional<String> regionOf(Mutation mutation) {
        return Optional.ofNullable(mutation.getAttribute(REGION_ATTRIBUTE)).map(Bytes::toString);
    }
}
