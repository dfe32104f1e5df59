package org.diffindex.cli;

import java.io.IOException;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;

/** {@code diffindex enable-index}: puts an index into service again, which the master builds anew. */
@Command(
        name = "enable-index",
        description = {
            "Put a DISABLED index into service again. Its table is emptied, every write maintains it, and the master fills it"
                    + " with the existing rows; the index can be read when it is ACTIVE.",
            "Returns when every write maintains the index, or, with --wait, when it is ACTIVE."
        },
        footer = {"", "Example:", "  diffindex enable-index flights by_origin --wait"})
final class EnableIndexCommand extends BuildingCommand {
    @Override
    void begin(DiffIndexAdmin admin, BuildOptions options) throws IOException {
        admin.enableIndex(name().table(), name().index(), options);
    }
}
