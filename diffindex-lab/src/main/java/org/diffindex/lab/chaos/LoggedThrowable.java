package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An exception, a cause or a suppressed exception, as an entry of a log shows it.
 *
 * @param type the name of its class
 * @param message the first line of its message, if it has one
 * @param frames the lines of its stack trace, including those that Java prints only once, at the exception around it
 */
record LoggedThrowable(String type, Optional<String> message, List<String> frames) {
    /** The line that begins an exception, a cause or a suppressed exception: its class, and its message, if any. */
    private static final Pattern BEGIN =
            Pattern.compile("^(?<indentation>\\s*)(?:Caused by: |(?<suppressed>Suppressed: ))?"
                    + "(?<type>(?:[a-z]\\w*\\.)+[A-Z][\\w$]*)(?:\\(.*\\))?(?:: (?<message>.*))?$");

    /** Stands for the last frames of a cause or a suppressed exception, which are those of the exception around it. */
    private static final Pattern IN_COMMON = Pattern.compile("^\\s*\\.\\.\\. (?<count>\\d{1,9}) more$");

    /** Copies the list. */
    LoggedThrowable {
        frames = List.copyOf(frames);
    }

    /** Returns the exceptions of an entry, in the order of their first lines. */
    static List<LoggedThrowable> in(List<String> entry) {
        Reader reader = new Reader();
        entry.forEach(reader::read);
        return reader.found.stream().map(Traced::get).toList();
    }

    /** Returns whether a text is what an exception without frames looks like: its class, and its message, if any. */
    static boolean isPrinted(String text) {
        return BEGIN.matcher(text).matches();
    }

    /** An exception whose frames are being read. */
    private record Traced(String type, Optional<String> message, List<String> frames) {
        LoggedThrowable get() {
            return new LoggedThrowable(type, message, frames);
        }
    }

    private static final class Reader {
        private final List<Traced> found = new ArrayList<>();

        /**
         * The frames of the last exception at each indentation. Java indents a suppressed exception by one character
         * more than the one around it, and a cause as much as that.
         */
        private final Map<Integer, List<String>> lastFrames = new HashMap<>();

        private List<String> framesAround = List.of();

        void read(String line) {
            Matcher begin = BEGIN.matcher(line);
            Matcher inCommon = IN_COMMON.matcher(line);
            if (begin.matches()) {
                begin(begin);
            } else if (!found.isEmpty()) {
                List<String> frames = found.get(found.size() - 1).frames();
                if (inCommon.matches()) {
                    frames.addAll(last(framesAround, Integer.parseInt(inCommon.group("count"))));
                } else {
                    frames.add(line);
                }
            }
        }

        private void begin(Matcher line) {
            int indentation = line.group("indentation").length();
            int around = line.group("suppressed") == null ? indentation : indentation - 1;
            framesAround = lastFrames.getOrDefault(around, List.of());
            Traced next = new Traced(line.group("type"), Optional.ofNullable(line.group("message")), new ArrayList<>());
            lastFrames.put(indentation, next.frames());
            found.add(next);
        }

        private static List<String> last(List<String> frames, int count) {
            return List.copyOf(frames.subList(Math.max(0, frames.size() - count), frames.size()));
        }
    }
}
