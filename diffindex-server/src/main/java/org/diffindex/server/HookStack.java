package org.diffindex.server;

import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * Tells from the stack of a thread where HBase has called the present hook. HBase does not tell the end of a call that
 * another coprocessor has refused, so that counting calls does not suffice.
 */
final class HookStack {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private HookStack() {}

    /** Returns whether HBase has called the present hook within another one, of this region or any other. */
    static boolean isInAnotherHook() {
        return STACK.walk(frames -> frames.dropWhile(frame -> frame.getDeclaringClass() != HRegion.class)
                .anyMatch(frame -> frame.getDeclaringClass() == CoprocessorHost.class));
    }

    /** Returns whether a method of a class has led to the present hook. */
    static boolean isIn(Class<?> caller) {
        return STACK.walk(frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == caller));
    }
}
