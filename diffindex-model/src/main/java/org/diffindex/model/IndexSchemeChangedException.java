package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals a scan that reads an index by another scheme than its table demands, because the scheme was changed since the
 * reader looked it up. Nothing was read; the client reads on by the right scheme, so that users do not see this exception.
 */
public class IndexSchemeChangedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    private static final String BEFORE_SCHEME = "; read it as ";

    /** Creates the exception; called by HBase's client when it unwraps the remote exception. */
    public IndexSchemeChangedException(String message) {
        super(message);
    }

    /**
     * Creates the exception of a server.
     *
     * @param what what happened, and to which table
     * @param readAs the scheme by which the index must be read
     */
    public IndexSchemeChangedException(String what, IndexScheme readAs) {
        super(what + BEFORE_SCHEME + readAs.schemeName());
    }

    /** Returns the scheme by which the index must be read; empty if the message does not tell one that is known. */
    public Optional<IndexScheme> readAs() {
        String message = Optional.ofNullable(getMessage()).orElse("");
        int begin = message.lastIndexOf(BEFORE_SCHEME);
        if (begin < 0) {
            return Optional.empty();
        }
        String rest = message.substring(begin + BEFORE_SCHEME.length());
        for (IndexScheme scheme : IndexScheme.values()) {
            if (rest.startsWith(scheme.schemeName())) {
                return Optional.of(scheme);
            }
        }
        return Optional.empty();
    }
}
