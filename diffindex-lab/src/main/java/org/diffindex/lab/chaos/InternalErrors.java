package org.diffindex.lab.chaos;

import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognizes internal errors of Diff-Index in the log of a master or region server: those that a coprocessor reports as
 * such, and unchecked exceptions that were thrown in a class of Diff-Index, or in one that it called. The server's
 * background threads catch these, log them as they log an index table that does not answer, and try again.
 */
final class InternalErrors {
    private static final Pattern REPORTED =
            Pattern.compile("Diff-Index failed unexpectedly|; the region refuses writes");

    /** What Java prints, without a date, when an exception ends a thread. */
    private static final Pattern UNCAUGHT = Pattern.compile("^Exception.* in thread \"diffindex-");

    /** The line that begins an exception, a cause or a suppressed exception: its class, and its message, if any. */
    private static final Pattern THROWABLE = Pattern.compile(
            "^\\s*(?:Caused by: |Suppressed: )?((?:[a-z]\\w*\\.)+[A-Z][\\w$]*)(?:\\(.*\\))?(?:: (.*))?$");

    /** Unchecked, but no programming errors: a stopped executor throws the first, the others stand for a checked one. */
    private static final List<Class<?>> HARMLESS =
            List.of(RejectedExecutionException.class, UncheckedIOException.class, UndeclaredThrowableException.class);

    /** Exceptions that only carry their cause if their message is that of the cause. */
    private static final Set<String> CARRIERS =
            Set.of(RuntimeException.class.getName(), CompletionException.class.getName());

    /** A frame in a class of Diff-Index. */
    private static final Pattern OUR_FRAME = Pattern.compile("^\\s+at (?:\\S*/)?org\\.diffindex\\..*");

    /** The frame below those of the waiting thread, which HBase's client adds to an exception of another thread. */
    private static final String WAITING_THREAD = "--------Future.get--------";

    private InternalErrors() {}

    /** Returns whether a line begins what Java prints when an exception ends a thread of Diff-Index. */
    static boolean beginsUncaught(String line) {
        return UNCAUGHT.matcher(line).find();
    }

    /** Returns whether an entry of a log reports an internal error. */
    static boolean isIn(List<String> entry) {
        return beginsUncaught(entry.get(0))
                || entry.stream().anyMatch(line -> REPORTED.matcher(line).find())
                || hasUncheckedExceptionOfOurs(entry);
    }

    private static boolean hasUncheckedExceptionOfOurs(List<String> entry) {
        boolean isUnchecked = false;
        boolean isOurs = false;
        for (String line : entry) {
            Matcher throwable = THROWABLE.matcher(line);
            if (throwable.matches()) {
                if (isUnchecked && isOurs) {
                    return true;
                }
                isUnchecked = isProgrammingError(throwable.group(1), throwable.group(2));
                isOurs = false;
            } else if (line.contains(WAITING_THREAD)) {
                isOurs = false; // the frames of the exception itself follow
            } else {
                isOurs |= OUR_FRAME.matcher(line).matches();
            }
        }
        return isUnchecked && isOurs;
    }

    /**
     * Returns whether an exception is a programming error: unchecked, and not one that only carries its cause, which is
     * judged itself.
     */
    private static boolean isProgrammingError(String type, String message) {
        boolean onlyCarries = CARRIERS.contains(type)
                && message != null
                && THROWABLE.matcher(message).matches();
        return isUnchecked(type) && !onlyCarries;
    }

    /** Returns whether a class is an unchecked exception. One that this process does not have is, by its name. */
    private static boolean isUnchecked(String type) {
        try {
            Class<?> found = Class.forName(type, false, InternalErrors.class.getClassLoader());
            return (RuntimeException.class.isAssignableFrom(found) || Error.class.isAssignableFrom(found))
                    && HARMLESS.stream().noneMatch(harmless -> harmless.isAssignableFrom(found));
        } catch (ClassNotFoundException | LinkageError e) {
            return type.endsWith("Exception") || type.endsWith("Error");
        }
    }
}
