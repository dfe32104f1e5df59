package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.cluster.ClusterException;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests faults on a cluster that only records which processes are up. */
class ProcessFaultsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final List<TableName> TABLES = List.of(TableName.valueOf("t"));
    private static final List<String> SERVERS = List.of("rs1", "rs2", "rs3");

    private final LocalCluster cluster = mock(LocalCluster.class);
    private final Regions regions = mock(Regions.class);
    private final Set<String> down = new LinkedHashSet<>();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Deaths deaths = new Deaths(cluster);
    private long pid = 1;
    private final ProcessFaults faults = new ProcessFaults(cluster, regions, deaths);

    @BeforeEach
    void answer() throws IOException {
        when(cluster.regionServers()).thenReturn(SERVERS);
        when(cluster.status()).thenAnswer(call -> {
            List<ProcessStatus> all = new ArrayList<>();
            for (String name : List.of("master", "rs1", "rs2", "rs3", "dn1")) {
                all.add(new ProcessStatus(
                        name, down.contains(name) ? OptionalLong.empty() : OptionalLong.of(pid), Map.of()));
            }
            return all;
        });
        when(regions.processesOf(TABLES)).thenReturn(List.of("rs2"));
        doAnswer(call -> {
                    down.add(call.getArgument(0));
                    return done.add("kill " + call.getArgument(0));
                })
                .when(cluster)
                .kill(anyString());
        doAnswer(call -> {
                    down.remove(call.<String>getArgument(0));
                    pid++;
                    return done.add("restart " + call.getArgument(0));
                })
                .when(cluster)
                .restart(anyString(), any(Duration.class));
        doAnswer(call -> {
                    down.removeAll(call.<List<String>>getArgument(0));
                    return done.add("restart " + call.getArgument(0));
                })
                .when(cluster)
                .restart(anyList(), any(Duration.class));
        doAnswer(call -> done.add("suspend " + call.getArgument(0)))
                .when(cluster)
                .suspend(anyString());
        doAnswer(call -> done.add("resume " + call.getArgument(0)))
                .when(cluster)
                .resume(anyString());
    }

    private static PlannedFault plan(int choice) {
        return new PlannedFault(FaultKind.KILL_BASE_SERVER, 0, 0, choice, Optional.empty());
    }

    @Test
    void killsTheServerOfATableAndStartsItAgain() throws IOException {
        Fault fault = faults.killServerOf(TABLES, plan(5));
        assertThat(fault.target()).isEqualTo("rs2");
        assertThat(down).containsExactly("rs2");
        fault.undo().run();
        assertThat(done).containsExactly("kill rs2", "restart rs2");
    }

    @Test
    void doesNotStartAProcessThatIsUpAgain() throws IOException {
        Fault fault = faults.killServerOf(TABLES, plan(5));
        down.clear();
        fault.undo().run();
        assertThat(done).containsExactly("kill rs2");
    }

    /** A region server does not serve before a master has registered it, nor a master before it has hbase:meta. */
    @Test
    void startsAServerTogetherWithAMasterThatIsDown() throws IOException {
        Fault fault = faults.killServerOf(TABLES, plan(5));
        down.add("master");
        fault.undo().run();
        assertThat(done).containsExactly("kill rs2", "restart [master, rs2]");
    }

    @Test
    void hasNothingToHitIfNoServerIsUp() throws IOException {
        when(regions.processesOf(TABLES)).thenReturn(List.of());
        assertThatThrownBy(() -> faults.killServerOf(TABLES, plan(1))).isInstanceOf(Fault.NothingToHit.class);
        down.addAll(SERVERS);
        assertThatThrownBy(faults::killAll).isInstanceOf(Fault.NothingToHit.class);
        assertThatThrownBy(() -> faults.stall(plan(1), true)).isInstanceOf(Fault.NothingToHit.class);
        assertThatThrownBy(() -> faults.killOneOf(SERVERS, plan(1))).isInstanceOf(Fault.NothingToHit.class);
        assertThat(done).isEmpty();
    }

    @Test
    void killsAndStartsAllServers() throws IOException {
        Fault fault = faults.killAll();
        assertThat(down).containsExactlyElementsOf(SERVERS);
        fault.undo().run();
        assertThat(down).isEmpty();
    }

    /** A run may have two region servers only; then each kill of two is a kill of one, and proves nothing of two. */
    @Test
    void aKillOfTwoServersThatFindsOneIsNotApplied() throws IOException {
        when(regions.baseTables()).thenReturn(TABLES);
        down.add("rs3");
        assertThatThrownBy(() -> faults.killTwo(plan(0)))
                .as("the second of two servers is never killed")
                .isInstanceOf(Fault.NothingToHit.class);
        assertThat(done).isEmpty();
    }

    @Test
    void killsTwoOfThreeServersAndStartsThemAgain() throws IOException {
        when(regions.baseTables()).thenReturn(TABLES);
        Fault fault = faults.killTwo(plan(0));
        assertThat(fault.target()).isEqualTo("rs2 then rs1");
        fault.undo().run();
        assertThat(done).containsExactly("kill rs2", "kill rs1", "restart rs2", "restart rs1");
    }

    @Test
    void resumesAServerThatWasStalledBriefly() throws IOException {
        Fault fault = faults.stall(plan(0), false);
        assertThat(fault.undo().run()).isEmpty();
        assertThat(done).containsExactly("suspend rs1", "resume rs1");
    }

    /**
     * A server that is silent for longer than its session counts as dead, ends when it resumes, and is started again.
     */
    @Test
    void startsAServerAgainThatWasStalledForLong() throws IOException {
        Fault fault = faults.stall(plan(0), true);
        doAnswer(call -> {
                    down.add("rs1");
                    return done.add("resume rs1");
                })
                .when(cluster)
                .resume("rs1");
        assertThat(fault.undo().run()).isEmpty();
        assertThat(done).containsExactly("suspend rs1", "resume rs1", "restart rs1");
    }

    @Test
    void startsAStalledServerAgainThatWasKilledMeanwhile() throws IOException {
        Fault fault = faults.stall(plan(0), false);
        down.add("rs1");
        fault.undo().run();
        assertThat(done).containsExactly("suspend rs1", "restart rs1");
    }

    /** The new process has a session, and is not to abort. */
    @Test
    void doesNotResumeAServerThatWasKilledAndStartedMeanwhile() throws IOException {
        Fault stall = faults.stall(plan(0), true);
        Fault kill = faults.killOneOf(List.of("rs1"), plan(0));
        kill.undo().run();
        assertThat(stall.undo().run()).isEmpty();
        assertThat(done).containsExactly("suspend rs1", "kill rs1", "restart rs1");
    }

    @Test
    void suspendsNoServerThatIsSuspended() throws IOException {
        Fault first = faults.stall(plan(0), true);
        assertThat(faults.stall(plan(0), false).target()).isEqualTo("rs2");
        down.add("rs3");
        assertThatThrownBy(() -> faults.slow(plan(0))).isInstanceOf(Fault.NothingToHit.class);
        doAnswer(call -> down.add("rs1")).when(cluster).resume("rs1");
        first.undo().run();
        assertThat(faults.stall(plan(0), false).target()).isEqualTo("rs1");
    }

    @Test
    void startsAMasterTogetherWithTheFirstServerIfAllAreDown() throws IOException {
        Fault all = faults.killAll();
        Fault master = faults.killOneOf(List.of("master"), plan(0));
        done.clear();
        master.undo().run();
        assertThat(done).isEmpty();
        all.undo().run();
        assertThat(done).containsExactly("restart [master, rs1]", "restart rs2", "restart rs3");
    }

    private static ClusterException startOf(String process) {
        ClusterException failure = mock(ClusterException.class);
        when(failure.failedProcess()).thenReturn(Optional.of(process));
        when(failure.getMessage()).thenReturn(process + " ended while it was starting");
        return failure;
    }

    @Test
    void theProcessThatFailedAmongThoseStartedTogetherIsADeath() throws IOException {
        Fault fault = faults.killServerOf(TABLES, plan(5));
        down.add("master");
        doThrow(startOf("master")).when(cluster).restart(anyList(), any(Duration.class));
        assertThatThrownBy(() -> fault.undo().run()).isInstanceOf(ClusterException.class);
        assertThatThrownBy(() -> fault.undo().run()).isInstanceOf(ClusterException.class);
        assertThat(deaths.all())
                .as("deaths, each once")
                .extracting(Death::process)
                .containsExactly("master");
    }

    @Test
    void aRestartOfTheWholeClusterThatFailsIsADeath() throws IOException {
        doThrow(startOf("rs2")).when(cluster).start(any(Duration.class));
        assertThatThrownBy(faults::restartCluster).isInstanceOf(ClusterException.class);
        assertThat(deaths.all()).extracting(Death::process).containsExactly("rs2");
        doThrow(new IllegalStateException("no layout")).when(cluster).start(any(Duration.class));
        assertThatThrownBy(faults::restartCluster).isInstanceOf(IllegalStateException.class);
        assertThat(deaths.all()).extracting(Death::process).containsExactly("rs2", "all");
    }

    /** A DataNode may need longer than the cluster waits, and contains nothing of Diff-Index. */
    @Test
    void aServerOfHBaseThatDoesNotEndInAnOrderlyStopIsADeath() throws IOException {
        when(cluster.stop()).thenReturn(Map.of("rs3", "rs3 did not end in time", "dn1", "dn1 did not end in time"));
        Fault fault = faults.restartCluster();
        assertThat(fault.undo().run())
                .startsWith("killed or crashed in the orderly stop: ")
                .contains("rs3", "dn1");
        assertThat(deaths.all()).extracting(Death::text).containsExactly("rs3 did not end in time");
        when(cluster.stop()).thenReturn(Map.of());
        assertThat(faults.restartCluster().undo().run()).isEmpty();
    }

    @Test
    void mendingStartsAndReturnsTheProcessesThatAreDown() throws IOException {
        down.addAll(List.of("rs3", "dn1"));
        assertThat(faults.mend()).containsExactly("rs3", "dn1");
        assertThat(down).isEmpty();
        assertThat(faults.mend()).isEmpty();
    }

    @Test
    void aSlowServerIsResumedInTheEnd() throws IOException {
        Fault fault = faults.slow(plan(2));
        assertThat(Conditions.await(PATIENCE, () -> done.contains("suspend rs3")))
                .isTrue();
        fault.undo().run();
        assertThat(fault.target()).isEqualTo("rs3");
        assertThat(done).startsWith("suspend rs3").endsWith("resume rs3");
        assertThat(done.stream().filter(each -> each.startsWith("suspend")).count())
                .as("suspensions, each of which is followed by a resumption")
                .isLessThanOrEqualTo(
                        done.stream().filter(each -> each.startsWith("resume")).count());
    }
}
