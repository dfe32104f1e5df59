package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Attributes of calls, read by the index table's coprocessor, that name the index a call is addressed to and optionally
 * one region of its table. They guard against accidents; protection against malice requires HBase's access control on
 * the index table.
 */
public final class IndexAddress {
    /**
     * The mutation attribute that distinguishes the index's own writes from a client's accidental writes to an index
     * table. Its value is the id of the index that the write is addressed to; empty for the table of an index without
     * an id.
     */
    public static final String WRITER_ATTRIBUTE = "diffindex.writer";

    /**
     * The attribute of a get or scan that names the index to read by its id; if absent or empty, any index is accepted.
     */
    public static final String READER_ATTRIBUTE = "diffindex.reader";

    /** The attribute of a delete that names, by its encoded name, the only region that may apply it. */
    private static final String REGION_ATTRIBUTE = "diffindex.region";

    /** The prefix of the message with which any other region refuses such a delete. */
    public static final String NOT_IN_ITS_REGION = "Not deleted: the entry is in another region than it was";

    private IndexAddress() {}

    /** Addresses a write to the index with that id; the table of a later index of the same name refuses it. */
    public static <T extends Mutation> T of(T mutation, String index) {
        mutation.setAttribute(WRITER_ATTRIBUTE, Bytes.toBytes(index));
        return mutation;
    }

    /** Addresses a read to the index with that id; the table of a later index of the same name refuses it. */
    public static <T extends Query> T of(T read, String index) {
        read.setAttribute(READER_ATTRIBUTE, Bytes.toBytes(index));
        return read;
    }

    /**
     * Restricts a delete to one region: the one that receives the put of the replacing entry in the same call.
     *
     * @param region its encoded name; null to lift the restriction
     */
    public static void onlyIn(Delete delete, String region) {
        delete.setAttribute(REGION_ATTRIBUTE, region == null ? null : Bytes.toBytes(region));
    }

    /** Returns the region that {@link #onlyIn} names; empty if there is no restriction. */
    public static Optional<String> regionOf(Mutation mutation) {
        return Optional.ofNullable(mutation.getAttribute(REGION_ATTRIBUTE)).map(Bytes::toString);
    }
}
