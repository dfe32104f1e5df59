package org.diffindex.server;

import java.util.Iterator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * Tells from the stack of a thread where HBase has called the present hook. HBase does not tell the end of a call that
 * another coprocessor has refused, so that counting calls does not suffice.
 */
final class HookStack {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private HookStack() {}

    /**
     * Returns in how many other hooks, of this region or any other, HBase has called the present one. All hooks of a call
     * are called in the same number of others.
     */
    static int nesting() {
        return STACK.walk(frames -> hooks(callers(frames).iterator()));
    }

    /** Returns the classes on a stack from the region on that has called the present hook. */
    private static Stream<Class<?>> callers(Stream<StackWalker.StackFrame> frames) {
        return frames.<Class<?>>map(StackWalker.StackFrame::getDeclaringClass)
                .dropWhile(caller -> caller != HRegion.class);
    }

    /** Counts the hooks among the classes on a stack. HBase calls a hook through one or more methods of one class. */
    private static int hooks(Iterator<Class<?>> callers) {
        int hooks = 0;
        boolean wasHost = false;
        while (callers.hasNext()) {
            boolean isHost = callers.next() == CoprocessorHost.class;
            if (isHost && !wasHost) {
                hooks++;
            }
            wasHost = isHost;
        }
        return hooks;
    }

    /** Returns whether a method of a class has made the call in which HBase has called the present hook. */
    static boolean isCalledBy(Class<?> type) {
        return STACK.walk(frames -> callers(frames)
                .takeWhile(caller -> caller != CoprocessorHost.class)
                .anyMatch(caller -> caller == type));
    }
}
