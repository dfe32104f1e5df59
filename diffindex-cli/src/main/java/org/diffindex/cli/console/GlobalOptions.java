package org.diffindex.cli.console;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options that every subcommand inherits from the root of the command line. */
public interface GlobalOptions {
    /** The options of the command line that a subcommand belongs to. */
    static GlobalOptions of(CommandSpec subcommand) {
        return (GlobalOptions) subcommand.root().userObject();
    }

    /** The folder with the cluster's {@code hbase-site.xml}; empty unless given. */
    Optional<Path> conf();

    /** Whether a failure is to be printed with its stack trace. */
    boolean verbose();
}
