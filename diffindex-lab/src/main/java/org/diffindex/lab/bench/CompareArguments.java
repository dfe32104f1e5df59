package org.diffindex.lab.bench;

import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of a comparison of two reports. */
final class CompareArguments {
    @Option(
            names = "--compare",
            paramLabel = "BEFORE",
            required = true,
            description =
                    "Instead of a run, print what changed from the report BEFORE to the report AFTER beyond the spread of"
                            + " their rounds. A report is a results.json, or the folder that has it.")
    private Path before;

    @Parameters(index = "0", paramLabel = "AFTER", description = "The later report, with --compare.")
    private Path after;

    @Option(names = "--json", description = "Print the comparison as a JSON object.")
    private boolean json;

    Path before() {
        return before;
    }

    Path after() {
        return after;
    }

    boolean json() {
        return json;
    }
}
