package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.IndexServerEndpoint;
import org.diffindex.server.WriteHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the settings of a run's servers; none is started. */
class ChaosClusterTest {
    @TempDir
    Path dir;

    private LocalCluster cluster(long seed) throws IOException {
        return ChaosCluster.create(new ChaosOptions(
                dir,
                Duration.ofMinutes(1),
                List.of(IndexScheme.values()),
                seed,
                List.of(FaultKind.values()),
                6,
                3,
                1200,
                120,
                40,
                3,
                false,
                false));
    }

    @Test
    void itsServersHaveClocksThatCanBeShifted() throws IOException {
        LocalCluster cluster = cluster(1);

        assertThat(cluster.configuration().getStrings("hbase.coprocessor.regionserver.classes"))
                .containsExactly(IndexServerEndpoint.class.getName(), ClockCoprocessor.class.getName());
        assertThat(ChaosCluster.clocks(cluster)).isEmptyDirectory();
        assertThat(cluster.configuration().get(ClockCoprocessor.FOLDER))
                .isEqualTo(ChaosCluster.clocks(cluster).toString());
    }

    @Test
    void otherServersRefuseTheClockCoprocessor() {
        RegionServerCoprocessorEnvironment other = mock(RegionServerCoprocessorEnvironment.class);
        when(other.getConfiguration()).thenReturn(new Configuration(false));

        assertThatThrownBy(() -> new ClockCoprocessor().start(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(ClockCoprocessor.FOLDER);
    }

    @Test
    void itsCallQueuesAreSplitIfTheSeedIsEven() throws IOException {
        Configuration conf = cluster(134).configuration();

        assertThat(WriteHandlers.count(
                        conf.getInt("hbase.regionserver.handler.count", 0),
                        conf.getFloat("hbase.ipc.server.callqueue.read.ratio", 0),
                        conf.getFloat("hbase.ipc.server.callqueue.handler.factor", 0)))
                .isEqualTo(4);
        assertThat(conf.getFloat("hbase.ipc.server.callqueue.scan.ratio", 0)).isEqualTo(0.5f);
    }

    @Test
    void allItsHandlersTakeAllCallsIfTheSeedIsOdd() throws IOException {
        Configuration conf = cluster(-7).configuration();

        assertThat(conf.getInt("hbase.regionserver.handler.count", 0)).isEqualTo(10);
        assertThat(conf.getFloat("hbase.ipc.server.callqueue.read.ratio", 0)).isZero();
    }
}
