package org.diffindex.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.diffindex.cli.console.Failures;
import org.diffindex.cli.console.GlobalOptions;
import org.diffindex.cli.doctor.DoctorCommand;
import org.diffindex.cli.load.LoadCommand;
import org.diffindex.lab.bench.BenchCommand;
import org.diffindex.lab.chaos.ChaosCommand;
import org.diffindex.lab.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command {@code diffindex}. A subcommand is a class with {@code @Command} that implements {@code
 * Callable<Integer>} and is named in the list below. It may throw any exception; {@link Failures} prints it as one
 * line. Exit codes: 0 success, 1 failure, 2 wrong usage.
 */
@Command(
        name = "diffindex",
        description = "Global secondary indexes for Apache HBase.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        sortOptions = false,
        subcommands = {
            ClusterCommand.class,
            CreateIndexCommand.class,
            BuildCommand.class,
            DropIndexCommand.class,
            DisableIndexCommand.class,
            EnableIndexCommand.class,
            RebuildIndexCommand.class,
            AlterIndexCommand.class,
            ListCommand.class,
            DescribeCommand.class,
            GetCommand.class,
            DrainCommand.class,
            StatusCommand.class,
            ScrubCommand.class,
            DoctorCommand.class,
            SettingsCommand.class,
            LoadCommand.class,
            YcsbCommand.class,
            BenchCommand.class,
            ChaosCommand.class,
            DemoCommand.class
        })
public final class DiffIndex implements GlobalOptions, Runnable {
    @Option(
            names = "--conf",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "Folder of the cluster's hbase-site.xml; default: the environment's HBASE_CONF_DIR.")
    private Path conf;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Print the stack trace of a failure.")
    private boolean verbose;

    @Spec
    private CommandSpec spec;

    /** Executes the command line and exits with its exit code. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int exitCode = CommandLine.ExitCode.SOFTWARE;
        try {
            exitCode = run(commandLine().setOut(out).setErr(err), args);
        } finally {
            System.exit(exitCode); // in any case, because threads of HBase would keep this JVM alive
        }
    }

    /** Executes a command line and returns the exit code, also for an {@code Error}, which picocli does not catch. */
    static int run(CommandLine commandLine, String... args) {
        try {
            return commandLine.execute(args);
        } catch (Error e) {
            return Failures.report(e, commandLine);
        }
    }

    /** Returns a new command line, ready to execute once. */
    public static CommandLine commandLine() {
        return Arguments.register(new CommandLine(new DiffIndex()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // a value or row may begin with @
                .setExecutionExceptionHandler(new Failures())
                .setParameterExceptionHandler(new WrongUsage());
    }

    @Override
    public Optional<Path> conf() {
        return Optional.ofNullable(conf);
    }

    @Override
    public boolean verbose() {
        return verbose;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Specify a subcommand");
    }
}
