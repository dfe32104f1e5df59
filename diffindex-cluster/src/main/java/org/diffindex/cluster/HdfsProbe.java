package org.diffindex.cluster;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/** Checks whether HDFS accepts writes. */
final class HdfsProbe {
    private final Configuration conf;

    HdfsProbe(Configuration cluster) {
        conf = new Configuration(cluster);
        conf.setInt("ipc.client.connect.max.retries", 0);
        conf.setInt("ipc.client.connect.timeout", 2_000);
        conf.setInt("ipc.client.rpc-timeout.ms", 2_000);
    }

    /** Returns whether at least the given number of DataNodes are live and the NameNode has left its safe mode. */
    boolean serves(int dataNodes) {
        try (FileSystem fileSystem = FileSystem.newInstance(conf)) {
            return fileSystem instanceof DistributedFileSystem hdfs
                    && hdfs.getDataNodeStats(DatanodeReportType.LIVE).length >= dataNodes
                    && !hdfs.isInSafeMode();
        } catch (IOException e) {
            return false;
        }
    }
}
