package org.diffindex.cli;

import java.io.IOException;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;

/** {@code diffindex rebuild-index}: builds an index anew, whatever it contains. */
@Command(
        name = "rebuild-index",
        description = {
            "Build an index anew, whatever it contains: disable it, and enable it. It can be read when it is ACTIVE.",
            "Returns when every write maintains the index again, or, with --wait, when it is ACTIVE. If it fails in between,"
                    + " the index is DISABLED: enable-index goes on."
        },
        footer = {"", "Example:", "  diffindex rebuild-index flights by_origin --wait"})
final class RebuildIndexCommand extends BuildingCommand {
    @Override
    void begin(DiffIndexAdmin admin, BuildOptions options) throws IOException {
        admin.rebuildIndex(name().table(), name().index(), options);
    }
}
