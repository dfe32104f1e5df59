package org.diffindex.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.AbstractFSWALProvider;
import org.diffindex.server.spill.SpillFiles;

/**
 * The folder of a region server's WALs, which tells whether the server's regions are still its own: the master renames
 * the folder of a server that it takes for dead, before it splits the WALs and assigns the regions to other servers.
 * Unlike a lease, this depends neither on a clock, which may have stood still together with the server, nor on
 * ZooKeeper. Thread-safe.
 */
record WalFolder(FileSystem fileSystem, Path folder) implements SpillFiles.Holding {
    /**
     * Returns the folder of a region's server; for a server without ZooKeeper, as in a test, a holding that is certain.
     *
     * @throws UncheckedIOException if the folder cannot be determined
     */
    static SpillFiles.Holding of(RegionCoprocessorEnvironment env) {
        if (!(env.getOnlineRegions() instanceof Server server) || server.getZooKeeper() == null) {
            return () -> {};
        }
        Configuration conf = server.getConfiguration();
        String name =
                AbstractFSWALProvider.getWALDirectoryName(server.getServerName().toString());
        try {
            return new WalFolder(
                    CommonFSUtils.getWALFileSystem(conf), new Path(CommonFSUtils.getWALRootDir(conf), name));
        } catch (IOException e) {
            throw new UncheckedIOException("Where this server's WALs are is not known", e);
        }
    }

    @Override
    public void confirm() throws IOException {
        if (!fileSystem.exists(folder)) {
            throw new NotServingRegionException(folder + " is gone: the master takes this server for dead and lets"
                    + " others open its regions. Nothing was published or written; what the indexes lack is in the WAL,"
                    + " or in files, for those servers. If this server does not abort by itself, restart it");
        }
    }
}
