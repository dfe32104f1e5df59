package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex settings}: adds the servers' coprocessors to an hbase-site.xml, or removes them. */
@Command(
        name = "settings",
        description = {
            "Add Diff-Index's coprocessors of masters and region servers to an hbase-site.xml, or remove them.",
            "Nothing else in the file changes; running the command again changes nothing."
        },
        footer = {"", "Example:", "  diffindex settings add /etc/hbase/conf/hbase-site.xml"})
final class SettingsCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "add|remove", description = "What to do; other coprocessors stay.")
    private Action action;

    @Parameters(index = "1", paramLabel = "FILE", description = "The hbase-site.xml.")
    private Path file;

    @Spec
    private CommandSpec spec;

    /** The actions, as named on the command line. */
    enum Action {
        ADD,
        REMOVE
    }

    @Override
    public Integer call() throws IOException {
        SiteSettings before = new SiteSettings(Files.readString(file));
        SiteSettings after = changed(before);
        PrintWriter out = spec.commandLine().getOut();
        if (after.toString().equals(before.toString())) {
            requireNothingElseChanged(file);
            out.println(file + (isAdding() ? " already has the coprocessors" : " has none of the coprocessors"));
            return 0;
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.copy(file, unfinished, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
        try {
            Files.writeString(unfinished, after.toString());
            requireNothingElseChanged(unfinished);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
        out.println((isAdding() ? "Added the coprocessors to " : "Removed the coprocessors from ") + file
                + "; servers read it when they start");
        return 0;
    }

    private boolean isAdding() {
        return action == Action.ADD;
    }

    private SiteSettings changed(SiteSettings before) throws IOException {
        try {
            return isAdding() ? before.withCoprocessors() : before.withoutCoprocessors();
        } catch (IllegalArgumentException e) {
            throw notUnderstood(e);
        }
    }

    /**
     * Checks that Hadoop reads from the new file exactly the intended change; the old file may be written in a form
     * that this command does not know.
     */
    private void requireNothingElseChanged(Path unfinished) throws IOException {
        Map<String, String> before;
        Map<String, String> after;
        try {
            before = read(file);
            after = read(unfinished);
        } catch (RuntimeException e) {
            throw notUnderstood(e);
        }
        for (Map.Entry<String, String> each : SiteSettings.COPROCESSORS.entrySet()) {
            Set<String> expected = classes(before.remove(each.getKey()));
            if (isAdding()) {
                expected.add(each.getValue());
            } else {
                expected.remove(each.getValue());
            }
            if (!classes(after.remove(each.getKey())).equals(expected)) {
                throw notUnderstood(null);
            }
        }
        if (!after.equals(before)) {
            throw notUnderstood(null);
        }
    }

    private static Set<String> classes(String value) {
        return new HashSet<>(SiteSettings.classesIn(value == null ? "" : value));
    }

    private static Map<String, String> read(Path site) {
        Configuration conf = new Configuration(false);
        conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
        Map<String, String> settings = new TreeMap<>();
        conf.forEach(each -> settings.put(each.getKey(), each.getValue()));
        return settings;
    }

    private IOException notUnderstood(Exception cause) {
        return new IOException(
                file + " is written in a form that this command does not understand; it was not changed; edit "
                        + String.join(" and ", SiteSettings.COPROCESSORS.keySet())
                        + " by hand, as docs/deploy.md describes",
                cause);
    }
}
