package org.diffindex.cli.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code diffindex doctor}: examines a running cluster for conditions that weaken a promise, and advises what to
 * change.
 */
@Command(
        name = "doctor",
        description = {
            "Examine a running cluster: versions, coprocessors on every server and region, settings that weaken a promise,"
                    + " the state of indexes and their tables. Advise what to change; change nothing.",
            "Exit code 0 if there is no problem, even if there are warnings; 1 if there is a problem, or if the cluster"
                    + " cannot be examined."
        },
        footer = {
            "",
            "A server answers through the coprocessors of Diff-Index that it has loaded; nothing is known of a region"
                    + " server without any.",
            "",
            "Example:",
            "  diffindex doctor --conf /etc/hbase/conf"
        })
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description =
                    "How long a server may take to answer, 1 to 3600; ${DEFAULT-VALUE} by default. Give more if the"
                            + " cluster is overloaded.")
    private int timeout;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (timeout < 1 || timeout > 3600) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout must be 1 to 3600 s, not " + timeout + "; nothing was examined");
        }
        Duration answer = Duration.ofSeconds(timeout);
        Configuration conf = cluster.configuration();
        List<Finding> findings;
        try (Connection connection = cluster.open(ClusterLook.impatient(conf, answer), answer);
                ClusterLook look = new ClusterLook(connection, conf)) {
            findings = Doctor.examine(look.look());
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(DoctorText.json(findings));
        } else {
            DoctorText.print(findings, out);
        }
        return findings.stream().anyMatch(finding -> finding.level() == Level.PROBLEM) ? 1 : 0;
    }
}
