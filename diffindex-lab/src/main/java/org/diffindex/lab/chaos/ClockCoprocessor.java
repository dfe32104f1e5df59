package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.cluster.LocalCluster;

/**
 * Lets a fault run shift the clock of a region server while it runs. HBase asks {@link EnvironmentEdgeManager} for the time
 * wherever it gives a timestamp, and so does Diff-Index. The times in the server's log, its waits and its sessions stay true.
 * Loaded by the servers of {@link ChaosCluster} and by no others.
 */
public final class ClockCoprocessor implements RegionServerCoprocessor {
    /** The setting that names the folder of the servers' {@link ClockShift}s. */
    static final String FOLDER = "diffindex.chaos.clocks";

    private ShiftedClock clock;

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) throws IOException {
        String folder = env.getConfiguration().get(FOLDER);
        String process = System.getProperty(LocalCluster.PROCESS_PROPERTY);
        if (folder == null || process == null) {
            throw new IOException(getClass().getName() + " is for the servers of a fault run only: " + FOLDER + " or "
                    + LocalCluster.PROCESS_PROPERTY + " is not set; take it out of hbase-site.xml");
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
