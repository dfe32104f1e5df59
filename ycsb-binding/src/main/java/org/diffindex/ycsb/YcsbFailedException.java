package org.diffindex.ycsb;

import java.io.IOException;

/**
 * Signals that YCSB did not complete its operations, or that some of them failed. The message says which; the result
 * contains the measurements so far.
 */
public class YcsbFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient YcsbResult result;

    YcsbFailedException(YcsbResult result) {
        super("YCSB failed: " + String.join("; ", result.failures()));
        this.result = result;
    }

    /** Returns YCSB's measurements; their {@link YcsbResult#failures} are the parts of the message. */
    public YcsbResult result() {
        return result;
    }
}
