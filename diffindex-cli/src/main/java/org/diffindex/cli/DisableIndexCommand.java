package org.diffindex.cli;

import java.io.IOException;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;

/** {@code diffindex disable-index}: takes an index out of service. */
@Command(
        name = "disable-index",
        description = {
            "Take an index out of service: reads by it are refused, and no write maintains it or waits for it any more. Its"
                    + " definition and its table stay.",
            "It is put into service again with enable-index, which builds it anew."
        },
        footer = {"", "Example:", "  diffindex disable-index flights by_origin"})
final class DisableIndexCommand extends IndexCommand {
    @Override
    String run(DiffIndexAdmin admin) throws IOException {
        admin.disableIndex(name().table(), name().index());
        return "Index " + name().index() + " on " + name().table()
                + " is DISABLED: no write maintains it, and it cannot be read. Enable it with: enable-index "
                + name().table() + " " + name().index();
    }
}
