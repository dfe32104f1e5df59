package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.diffindex.cluster.ClusterLayout;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the order in which faults are applied and undone, and what the log says about them. */
class FaultInjectorTest {
    private static final TableName BASE = TableName.valueOf("base");
    private static final TableName INDEX = TableName.valueOf("index");

    @TempDir
    Path dir;

    private final LocalCluster cluster = mock(LocalCluster.class);
    private final Regions regions = mock(Regions.class);
    private final Admin admin = mock(Admin.class);
    private final Set<String> down = new LinkedHashSet<>();
    private final Map<String, String> ended = new LinkedHashMap<>();
    private final List<String> done = new ArrayList<>();
    private final List<FaultEvent> events = new ArrayList<>();
    private final AtomicLong time = new AtomicLong();
    private FaultInjector injector;

    @BeforeEach
    void answer() throws IOException {
        when(cluster.regionServers()).thenReturn(List.of("rs1", "rs2"));
        ClusterLayout layout = mock(ClusterLayout.class);
        when(layout.dir()).thenReturn(dir);
        when(cluster.layout()).thenReturn(layout);
        when(cluster.endedByThemselves()).thenAnswer(call -> new LinkedHashMap<>(ended));
        when(cluster.status()).thenAnswer(call -> {
            List<ProcessStatus> all = new ArrayList<>();
            for (String name : List.of("master", "rs1", "rs2")) {
                all.add(new ProcessStatus(
                        name, down.contains(name) ? OptionalLong.empty() : OptionalLong.of(1), Map.of()));
            }
            return all;
        });
        when(regions.baseTables()).thenReturn(List.of(BASE));
        when(regions.indexTables()).thenReturn(List.of(INDEX));
        when(regions.allTables()).thenReturn(List.of(BASE, INDEX));
        when(regions.processesOf(List.of(BASE))).thenReturn(List.of("rs1"));
        when(regions.processesOf(List.of(INDEX))).thenReturn(List.of("rs2"));
        doAnswer(call -> {
                    down.add(call.getArgument(0));
                    return done.add("kill " + call.getArgument(0));
                })
                .when(cluster)
                .kill(anyString());
        doAnswer(call -> {
                    down.remove(call.<String>getArgument(0));
                    return done.add("restart " + call.getArgument(0));
                })
                .when(cluster)
                .restart(anyString(), any(Duration.class));
        doAnswer(call -> done.add("suspend " + call.getArgument(0)))
                .when(cluster)
                .suspend(anyString());
        doAnswer(call -> done.add("resume " + call.getArgument(0)))
                .when(cluster)
                .resume(anyString());
        doAnswer(call -> done.add("flush " + call.getArgument(0))).when(admin).flush(any(TableName.class));
        FaultLog log = new FaultLog(events::add);
        injector = new FaultInjector(cluster, admin, regions, log, () -> time.addAndGet(1_000_000_000L));
    }

    private FaultInjector inRealTime() {
        return new FaultInjector(cluster, admin, regions, new FaultLog(events::add), System::nanoTime);
    }

    private static PlannedFault fault(FaultKind kind, Optional<PlannedFault> meanwhile) {
        return new PlannedFault(kind, 0, 0, 0, meanwhile);
    }

    private static PlannedFault fault(FaultKind kind) {
        return fault(kind, Optional.empty());
    }

    @Test
    void aLastingFaultIsUndoneAndLogged() throws IOException {
        injector.run(fault(FaultKind.KILL_BASE_SERVER));
        assertThat(done).containsExactly("kill rs1", "restart rs1");
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo("kill-base-server");
            assertThat(event.target()).isEqualTo("rs1");
            assertThat(event.result()).isEqualTo(FaultEvent.Result.DONE);
            assertThat(event.begin()).isLessThan(event.end());
        });
    }

    @Test
    void aConcurrentFaultIsUndoneAfterTheFirst() throws IOException {
        injector.run(fault(FaultKind.KILL_BASE_SERVER, Optional.of(fault(FaultKind.KILL_INDEX_SERVER))));
        assertThat(done).containsExactly("kill rs1", "kill rs2", "restart rs1", "restart rs2");
        assertThat(events).extracting(FaultEvent::kind).containsExactly("kill-base-server", "kill-index-server");
    }

    @Test
    void aConcurrentFaultThatDoesNotLastIsOverAtOnceAndLogged() throws IOException {
        injector.run(fault(FaultKind.KILL_BASE_SERVER, Optional.of(fault(FaultKind.FLUSH))));
        assertThat(done).containsExactly("kill rs1", "flush base", "restart rs1");
        assertThat(events).extracting(FaultEvent::kind).containsExactly("flush", "kill-base-server");
        assertThat(events).extracting(FaultEvent::result).containsOnly(FaultEvent.Result.DONE);
    }

    /** Otherwise the stalled server would lose its session. */
    @Test
    void aConcurrentShortStallIsUndoneFirst() throws IOException {
        injector.run(fault(FaultKind.KILL_INDEX_SERVER, Optional.of(fault(FaultKind.STALL_SHORT))));
        assertThat(done).containsExactly("kill rs2", "suspend rs1", "resume rs1", "restart rs2");
    }

    /** A stall that outlasts the session is a fault of another kind, and the stalled server aborts. */
    @Test
    void aConcurrentShortStallIsShort() throws IOException {
        PlannedFault brief = new PlannedFault(FaultKind.STALL_SHORT, 50, 200, 0, Optional.empty());
        inRealTime().run(new PlannedFault(FaultKind.KILL_INDEX_SERVER, 0, 3_000, 0, Optional.of(brief)));
        assertThat(done).containsExactly("kill rs2", "suspend rs1", "resume rs1", "restart rs2");
        assertThat(events)
                .filteredOn(event -> event.kind().equals("stall-short"))
                .singleElement()
                .satisfies(stall -> assertThat((stall.end() - stall.begin()) / 1_000_000)
                        .as("milliseconds of a stall planned for 200 ms")
                        .isLessThan(1_500));
    }

    @Test
    void aConcurrentFaultThatIsShorterIsUndoneBeforeTheFirst() throws IOException {
        PlannedFault brief = new PlannedFault(FaultKind.KILL_INDEX_SERVER, 0, 0, 0, Optional.empty());
        inRealTime().run(new PlannedFault(FaultKind.KILL_BASE_SERVER, 0, 2_000, 0, Optional.of(brief)));
        assertThat(done).containsExactly("kill rs1", "kill rs2", "restart rs2", "restart rs1");
    }

    /** A restart may take minutes, in which the stalled server would lose its session. */
    @Test
    void nothingIsUndoneDuringAShortStall() throws IOException {
        PlannedFault brief = new PlannedFault(FaultKind.KILL_INDEX_SERVER, 0, 0, 0, Optional.empty());
        inRealTime().run(new PlannedFault(FaultKind.STALL_SHORT, 0, 2_000, 0, Optional.of(brief)));
        assertThat(done).containsExactly("suspend rs1", "kill rs2", "resume rs1", "restart rs2");
    }

    @Test
    void skipsAFaultThatCannotBeAppliedWithTheReason() throws IOException {
        when(regions.processesOf(List.of(BASE))).thenReturn(List.of());
        injector.run(fault(FaultKind.KILL_BASE_SERVER, Optional.of(fault(FaultKind.FLUSH))));
        assertThat(done).as("actions, including those of the concurrent fault").isEmpty();
        assertThat(events)
                .singleElement()
                .returns(FaultEvent.Result.SKIPPED, FaultEvent::result)
                .returns("no such process is up", FaultEvent::note);
    }

    @Test
    void logsAFaultThatFailsAndContinues() throws IOException {
        doThrow(new IOException("no master\nat a.b")).when(admin).flush(any(TableName.class));
        injector.run(fault(FaultKind.FLUSH));
        assertThat(events)
                .singleElement()
                .returns(FaultEvent.Result.FAILED, FaultEvent::result)
                .returns("java.io.IOException: no master", FaultEvent::note);
        doThrow(new IOException("no port")).when(cluster).restart(anyString(), any(Duration.class));
        injector.run(fault(FaultKind.KILL_BASE_SERVER));
        assertThat(events.get(1).result()).isEqualTo(FaultEvent.Result.FAILED);
        assertThat(events.get(1).note()).startsWith("not undone: ").endsWith("no port");
    }

    @Test
    void findsAProcessThatEndedByItselfOnceForEachEnd() throws IOException {
        ended.put("rs2", "rs2 exited with 1");
        injector.run(fault(FaultKind.FLUSH));
        injector.lookForDeaths();
        assertThat(injector.deaths()).extracting(Death::process).containsExactly("rs2");
        ended.put("rs2", "rs2 exited with 134");
        injector.lookForDeaths();
        assertThat(injector.deaths())
                .extracting(Death::text)
                .containsExactly("rs2 exited with 1", "rs2 exited with 134");
    }

    /** A server that is stalled for long is to abort when it resumes; this one crashes, and its log says nothing. */
    @Test
    void aServerThatCrashesWhenItResumesHasEndedByItself() throws IOException {
        doAnswer(call -> {
                    down.add("rs1");
                    ended.put("rs1", "rs1 has ended by itself; its log ends: SIGSEGV");
                    return done.add("resume rs1");
                })
                .when(cluster)
                .resume(anyString());
        doAnswer(call -> {
                    down.remove("rs1");
                    ended.clear(); // a new process
                    return done.add("restart rs1");
                })
                .when(cluster)
                .restart(anyString(), any(Duration.class));
        injector.run(fault(FaultKind.STALL_LONG));
        assertThat(done).containsExactly("suspend rs1", "resume rs1", "restart rs1");
        assertThat(injector.deaths()).extracting(Death::process).containsExactly("rs1");
    }

    /** The cluster kills a server that does not serve in time, so that it has not ended by itself. */
    @Test
    void aServerThatFailsWhileItIsRestartedIsADeathThoughTheNextRestartSucceeds() throws IOException {
        AtomicLong restarts = new AtomicLong();
        doAnswer(call -> {
                    if (restarts.getAndIncrement() == 0) {
                        throw new IOException("rs1 ended while it was starting; its log ends: SIGSEGV");
                    }
                    down.remove(call.<String>getArgument(0));
                    return done.add("restart " + call.getArgument(0));
                })
                .when(cluster)
                .restart(anyString(), any(Duration.class));
        injector.run(fault(FaultKind.KILL_BASE_SERVER));
        injector.mend();
        assertThat(done).containsExactly("kill rs1", "restart rs1");
        assertThat(injector.deaths()).singleElement().satisfies(death -> {
            assertThat(death.process()).isEqualTo("rs1");
            assertThat(death.text()).contains("SIGSEGV");
        });
    }

    @Test
    void logsMendingOnlyIfThereWasSomethingToMend() throws IOException {
        injector.mend();
        assertThat(events).isEmpty();
        down.add("rs1");
        injector.mend();
        assertThat(down).isEmpty();
        assertThat(events)
                .singleElement()
                .returns("found-down", FaultEvent::kind)
                .returns(false, FaultEvent::isFault)
                .returns("rs1", FaultEvent::target);
    }

    @Test
    void mendingFailsIfAServerRunsButDoesNotServe() throws IOException {
        when(regions.upButNotServing(admin)).thenReturn(List.of("rs2"));
        assertThatThrownBy(injector::mend).isInstanceOf(IOException.class).hasMessageContaining("rs2");
    }

    @Test
    void theLogFindsTheFaultsAroundATime() {
        FaultLog log = new FaultLog(event -> {});
        FaultEvent early = event(10, 20);
        FaultEvent late = event(30, 40);
        log.add(early);
        log.add(late);
        assertThat(log.around(15, 0)).containsExactly(early);
        assertThat(log.around(25, 0)).isEmpty();
        assertThat(log.around(25, 5))
                .as("fault that was over five nanoseconds before")
                .containsExactly(early);
        assertThat(log.around(35, 20)).containsExactly(early, late);
        assertThat(log.around(9, 5)).as("fault that had not begun").isEmpty();
        assertThat(log.all()).containsExactly(early, late);
    }

    private static FaultEvent event(long begin, long end) {
        return new FaultEvent("flush", "t", begin, end, 0, 1, FaultEvent.Result.DONE, "");
    }

    @Test
    void anEventIsALineOfText() {
        assertThat(event(1_500_000_000L, 2_000_000_000L).toString()).isEqualTo("1.500s..2.000s flush t");
        assertThat(new FaultEvent("flush", "-", 0, 0, 0, 0, FaultEvent.Result.FAILED, "no master").toString())
                .isEqualTo("0.000s..0.000s flush - FAILED (no master)");
    }
}
