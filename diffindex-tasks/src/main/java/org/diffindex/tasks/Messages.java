package org.diffindex.tasks;

import java.util.regex.Pattern;

/** Messages of failures, in one line. */
public final class Messages {
    /** The name of an exception's class in a package, which HBase puts before the message. */
    private static final Pattern CLASS_NAME = Pattern.compile("^([a-z_]\\w*\\.)+[A-Z][\\w$]*: (?=.)");

    private Messages() {}

    /** Returns the message of a failure without the server's stack trace, which HBase appends to it. */
    public static String of(Throwable failure) {
        String line = line(failure.getMessage() == null ? "" : failure.getMessage());
        return line.isEmpty() ? failure.getClass().getSimpleName() : line;
    }

    /** Returns the first line of a message, without the names of exceptions before it. */
    public static String line(String message) {
        String line = message.lines().findFirst().orElse("").trim();
        String bare = CLASS_NAME.matcher(line).replaceFirst("");
        return bare.equals(line) ? line : line(bare);
    }
}
