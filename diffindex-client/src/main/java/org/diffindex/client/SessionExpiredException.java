package org.diffindex.client;

import java.time.Duration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;

/**
 * Signals the use of a session that was idle for longer than it may be. The call had no effect; what was written before
 * is durable, but this session promises nothing about it any more.
 */
public class SessionExpiredException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    SessionExpiredException(TableName table, Duration idleTimeout) {
        super("The session on " + table + " was idle for longer than " + idleTimeout + " and has ended; its earlier"
                + " writes are durable, this call had no effect; open a new session");
    }
}
