package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.cluster.LocalCluster;

/**
 * Shifts the clock of a running region server. HBase and Diff-Index take their timestamps from {@link
 * EnvironmentEdgeManager}, so the shift affects them; it does not affect the times in logs, waits and ZooKeeper
 * sessions. Only the servers of {@link ChaosCluster} load this coprocessor.
 */
public final class ClockCoprocessor implements RegionServerCoprocessor {
    /** The configuration key of the folder of the servers' {@link ClockShift}s. */
    static final String FOLDER = "diffindex.chaos.clocks";

    private ShiftedClock clock;

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) throws IOException {
        String folder = env.getConfiguration().get(FOLDER);
        String process = System.getProperty(LocalCluster.PROCESS_PROPERTY);
        if (folder == null || process == null) {
            throw new IOException(getClass().getName() + " works only on the servers of a fault run: " + FOLDER + " or "
                    + LocalCluster.PROCESS_PROPERTY + " is not set; remove it from hbase-site.xml");
        }
        clock = ShiftedClock.follow(new ClockShift(Path.of(folder), process));
        EnvironmentEdgeManager.injectEdge(clock);
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        EnvironmentEdgeManager.reset();
        if (clock != null) {
            clock.close();
        }
    }
}
