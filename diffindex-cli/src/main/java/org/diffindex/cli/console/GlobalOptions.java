package org.diffindex.cli.console;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options that every subcommand inherits from the root of the command line. */
public interface GlobalOptions {
    /** Returns the options of the command line that a subcommand belongs to. */
    static GlobalOptions of(CommandSpec subcommand) {
        return (GlobalOptions) subcommand.root().userObject();
    }

    /** Returns the folder of the cluster's {@code hbase-site.xml}; empty if not given. */
    Optional<Path> conf();

    /** Returns whether to print the stack trace of a failure. */
    boolean verbose();
}
