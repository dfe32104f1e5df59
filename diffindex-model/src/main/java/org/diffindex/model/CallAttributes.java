package org.diffindex.model;

import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Attributes;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;

/**
 * The attributes by which reads and writes ask servers for something of Diff-Index. HBase passes every attribute on,
 * and a server of an earlier build would carry out a call without what an attribute asks for. Therefore servers refuse
 * calls with an attribute whose name begins with {@code diffindex.} and that they do not know. An attribute that a
 * server may ignore, or that servers set for themselves, has a name that begins with {@code diffindex-}.
 */
public final class CallAttributes {
    private static final String PREFIX = "diffindex.";

    private static final Set<String> KNOWN = Set.of(
            IndexAddress.WRITER_ATTRIBUTE,
            IndexAddress.READER_ATTRIBUTE,
            IndexAddress.SCHEME_ATTRIBUTE,
            IndexAddress.REGION_ATTRIBUTE,
            ReadPoint.ASKED,
            ReadPoint.AS_OF,
            ReadPoint.SINCE,
            Aggregate.ATTRIBUTE,
            LeasedRead.ATTRIBUTE,
            ProtectedCells.ATTRIBUTE,
            ProtectedColumns.ATTRIBUTE,
            SessionChange.ATTRIBUTE);

    /** The marks that servers of the build before this one set for themselves; a name, or one with a family's behind it. */
    private static final Set<String> OF_EARLIER_SERVERS = Set.of("diffindex.servertime", "diffindex.giventimes");

    private static final String OF_FAMILY = "diffindex.servertime.";

    private CallAttributes() {}

    /**
     * Returns whether a server of the build before this one set an attribute for itself. A coprocessor there may have
     * made a write as a copy of another, with its attributes; they ask for nothing.
     */
    public static boolean isOfEarlierServer(String name) {
        return OF_EARLIER_SERVERS.contains(name) || name.startsWith(OF_FAMILY);
    }

    /**
     * Returns why a server of this build refuses a write, without what happened to it; empty if it knows all
     * attributes.
     */
    public static Optional<String> refusal(Mutation write) {
        return unknownOf(write).map(name -> "the write has the attribute " + name + unknown());
    }

    /**
     * Requires that a server of this build knows every attribute of a read.
     *
     * @throws DoNotRetryIOException if it does not; the message names the attribute
     */
    public static void requireKnown(Query read) throws DoNotRetryIOException {
        Optional<String> name = unknownOf(read);
        if (name.isPresent()) {
            throw new DoNotRetryIOException("Nothing was read: the read has the attribute " + name.get() + unknown());
        }
    }

    private static Optional<String> unknownOf(Attributes call) {
        for (String name : call.getAttributesMap().keySet()) {
            if (name.startsWith(PREFIX) && !KNOWN.contains(name) && !isOfEarlierServer(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    private static String unknown() {
        return ", which this region server's build of Diff-Index does not know; use a client of the same build, or"
                + " upgrade the region servers";
    }
}
