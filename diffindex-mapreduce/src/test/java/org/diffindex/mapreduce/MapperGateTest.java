package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.junit.jupiter.api.Test;

class MapperGateTest {
    private BuildResponse.Builder orders = BuildResponse.newBuilder().setBuilding(true);
    private long nanos;
    private int reads;
    private int alive;
    private Runnable duringWait = () -> {};

    private MapperGate gate(int mappers) {
        return new MapperGate(
                () -> {
                    reads++;
                    return orders.build();
                },
                mappers,
                () -> alive++,
                () -> nanos,
                time -> {
                    nanos += time.toNanos();
                    duringWait.run();
                });
    }

    private Duration waited() {
        return Duration.ofNanos(nanos);
    }

    @Test
    void letsWholePagesPassWithoutALimit() throws IOException {
        MapperGate gate = gate(1);
        for (int i = 0; i < 5; i++) {
            assertThat(gate.pass(10_000)).isEqualTo(10_000);
        }
        assertThat(waited()).isZero();
        assertThat(reads).as("the orders are read once a second").isEqualTo(1);
    }

    @Test
    void eachMapperKeepsToItsPartOfTheRate() throws IOException {
        orders.setRowsPerSecond(1_000);
        MapperGate gate = gate(4);
        for (int i = 0; i < 41; i++) {
            assertThat(gate.pass(10_000)).isEqualTo(25);
        }
        assertThat(waited()).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void aPausedMapperStandsAndIsAlive() throws IOException {
        orders.setPaused(true);
        duringWait = () -> {
            if (nanos > Duration.ofSeconds(90).toNanos()) {
                orders.setPaused(false);
            }
        };
        assertThat(gate(1).pass(7)).isEqualTo(7);
        assertThat(waited()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(92));
        assertThat(alive).isGreaterThan(90);
    }

    @Test
    void aLimitThatIsLiftedDuringAWaitHoldsNobody() throws IOException {
        orders.setRowsPerSecond(0.001);
        MapperGate gate = gate(1);
        assertThat(gate.pass(10)).isEqualTo(1);
        duringWait = () -> orders.setRowsPerSecond(0);
        assertThat(gate.pass(10)).isEqualTo(10);
        assertThat(waited()).isLessThan(Duration.ofSeconds(3));
    }
}
