package org.diffindex.ycsb;

import java.io.IOException;

/** Signals that YCSB did not do, or not rightly, what it was asked for. The message says what; the result is as far as it got. */
public class YcsbFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient YcsbResult result;

    YcsbFailedException(YcsbResult result) {
        super("YCSB failed: " + String.join("; ", result.failures()));
        this.result = result;
    }

    /** What YCSB measured nevertheless; its {@link YcsbResult#failures} are the parts of the message. */
    public YcsbResult result() {
        return result;
    }
}
