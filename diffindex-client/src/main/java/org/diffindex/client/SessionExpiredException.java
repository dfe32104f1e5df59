package org.diffindex.client;

import java.time.Duration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;

/**
 * Signals the use of a session after it was idle for longer than its timeout. The call had no effect. Earlier writes of
 * the session are durable; its reads promise nothing about them any more.
 */
public class SessionExpiredException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    SessionExpiredException(TableName table, Duration idleTimeout) {
        super("The session on " + table + " was idle for longer than " + idleTimeout + " and has expired; its earlier"
                + " writes are durable, this call had no effect; open a new session");
    }
}
