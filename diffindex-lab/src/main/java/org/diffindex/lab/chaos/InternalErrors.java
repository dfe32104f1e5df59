package org.diffindex.lab.chaos;

import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
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
        return LoggedThrowable.in(entry).stream().anyMatch(thrown -> isProgrammingError(thrown) && isOurs(thrown));
    }

    /** Returns whether an exception was thrown in a class of Diff-Index, or in one that it called. */
    private static boolean isOurs(LoggedThrowable thrown) {
        List<String> frames = thrown.frames();
        int begin = 0;
        for (int i = 0; i < frames.size(); i++) {
            if (frames.get(i).contains(WAITING_THREAD)) {
                begin = i; // the frames of the exception itself follow
            }
        }
        return frames.subList(begin, frames.size()).stream()
                .anyMatch(line -> OUR_FRAME.matcher(line).matches());
    }

    /**
     * Returns whether an exception is a programming error: unchecked, and not one that only carries its cause, which is
     * judged itself.
     */
    private static boolean isProgrammingError(LoggedThrowable thrown) {
        boolean onlyCarries = CARRIERS.contains(thrown.type())
                && thrown.message().filter(LoggedThrowable::isPrinted).isPresent();
        return isUnchecked(thrown.type()) && !onlyCarries;
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
