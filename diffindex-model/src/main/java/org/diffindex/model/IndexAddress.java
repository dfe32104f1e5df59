package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Attributes of calls, read by the index table's coprocessor, that name the index a call is addressed to and optionally
 * one region of its table. They guard against accidents; protection against malice requires HBase's access control on
 * the index table.
 */
public final class IndexAddress {
    /**
     * The mutation attribute that distinguishes the index's own writes from a client's accidental writes to an index
     * table. Its value is the id of the index that the write is addressed to, followed by a slash and the change of the
     * index's scheme if there was one; empty for the table of an index without an id.
     */
    public static final String WRITER_ATTRIBUTE = "diffindex.writer";

    /**
     * The attribute of a get or scan that names the index to read by its id; if absent or empty, any index is accepted.
     */
    public static final String READER_ATTRIBUTE = "diffindex.reader";

    /**
     * The attribute of a scan that names the scheme by which its reader reads. If it is absent, any scheme is accepted: the
     * reader checks each entry, or does not read for a user.
     */
    static final String SCHEME_ATTRIBUTE = "diffindex.reader.scheme";

    private static final char BEFORE_CHANGE = '/';

    /** The attribute of a delete that names, by its encoded name, the only region that may apply it. */
    static final String REGION_ATTRIBUTE = "diffindex.region";

    /** The prefix of the message with which any other region refuses such a delete. */
    public static final String NOT_IN_ITS_REGION = "Not deleted: the entry is in another region than it was";

    private IndexAddress() {}

    /**
     * Addresses a write to the index with that id; the table of a later index of the same name refuses it.
     *
     * @param index its id, or what {@link #writer} returns
     */
    public static <T extends Mutation> T of(T mutation, String index) {
        mutation.setAttribute(WRITER_ATTRIBUTE, Bytes.toBytes(index));
        return mutation;
    }

    /** Returns how a write names an index by its id, and the change of its scheme by which it is maintained. */
    static String writer(String index, String change) {
        return change.isEmpty() ? index : index + BEFORE_CHANGE + change;
    }

    /** Returns the id of the index to which a write is addressed; empty if the write is a client's. */
    public static Optional<String> indexOf(Mutation mutation) {
        return writerOf(mutation).map(writer -> {
            int end = writer.indexOf(BEFORE_CHANGE);
            return end < 0 ? writer : writer.substring(0, end);
        });
    }

    /** Returns the change of the scheme that a write to an index names; empty if it names none. */
    public static String changeOf(Mutation mutation) {
        String writer = writerOf(mutation).orElse("");
        int end = writer.indexOf(BEFORE_CHANGE);
        return end < 0 ? "" : writer.substring(end + 1);
    }

    private static Optional<String> writerOf(Mutation mutation) {
        return Optional.ofNullable(mutation.getAttribute(WRITER_ATTRIBUTE)).map(Bytes::toString);
    }

    /** Makes a scan name the scheme by which its reader reads; returns the same scan. */
    public static Scan readBy(Scan scan, IndexScheme scheme) {
        return scan.setAttribute(SCHEME_ATTRIBUTE, Bytes.toBytes(scheme.schemeName()));
    }

    /** Makes a scan name no scheme, since its reader is right by any; returns the same scan. */
    public static Scan readByAny(Scan scan) {
        return scan.setAttribute(SCHEME_ATTRIBUTE, null);
    }

    /** Returns the name of the scheme that {@link #readBy} sets; empty if there is none. */
    public static Optional<String> schemeOf(Scan scan) {
        return Optional.ofNullable(scan.getAttribute(SCHEME_ATTRIBUTE)).map(Bytes::toString);
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
