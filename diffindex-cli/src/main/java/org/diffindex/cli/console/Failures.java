package org.diffindex.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HBaseIOException;
import org.diffindex.cluster.ClusterException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Prints the exception of a command as one line, with {@code --verbose} also the stack trace, and returns exit code 1.
 */
public final class Failures implements IExecutionExceptionHandler {
    /** The exception's class, which HBase prepends to a server's message. */
    private static final Pattern CLASS_NAME = Pattern.compile("^(?:[a-z_][a-z0-9_]*\\.)+([A-Z][A-Za-z0-9$]*): ");

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        return report(failure, command);
    }

    /** Prints the exception of a command and returns the exit code. */
    public static int report(Throwable failure, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println("diffindex: " + message(failure));
        if (GlobalOptions.of(command.getCommandSpec()).verbose()) {
            failure.printStackTrace(err);
        }
        err.flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns the failure as one line, without class names where the message suffices. */
    public static String message(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof ClusterException) {
            return cause.getMessage();
        }
        String line = cause.getMessage() == null ? "" : firstLine(cause.getMessage());
        if (cause instanceof FileSystemException || (cause instanceof HBaseIOException && isName(line))) {
            return inWords(cause.getClass().getSimpleName()) + ": " + line;
        }
        boolean expected = cause instanceof IOException
                || cause instanceof IllegalArgumentException
                || cause instanceof IllegalStateException;
        if (expected && !line.isEmpty()) {
            return line;
        }
        return "failed with " + cause.getClass().getName() + (line.isEmpty() ? "" : ": " + line)
                + "; run the command again with --verbose for the stack trace";
    }

    /** Returns {@code No such file} for {@code NoSuchFileException}. */
    private static String inWords(String className) {
        String words = className.replaceFirst("Exception$", "").replaceAll("(?<=[a-z])(?=[A-Z])", " ");
        return words.substring(0, 1) + words.substring(1).toLowerCase(Locale.ROOT);
    }

    private static Throwable unwrapped(Throwable failure) {
        boolean wrapper = failure instanceof UncheckedIOException
                || failure instanceof ExecutionException
                || failure instanceof CompletionException;
        return wrapper && failure.getCause() != null ? unwrapped(failure.getCause()) : failure;
    }

    private static String firstLine(String message) {
        String line = message.lines().findFirst().orElse("").trim();
        Matcher matcher = CLASS_NAME.matcher(line);
        if (!matcher.find()) {
            return line;
        }
        String bare = line.substring(matcher.end());
        return isName(bare) ? inWords(matcher.group(1)) + ": " + bare : firstLine(bare);
    }

    /** Returns whether the message is only a name, such as a table's, so that the class must say what is wrong. */
    private static boolean isName(String message) {
        return !message.isEmpty() && message.indexOf(' ') < 0;
    }
}
