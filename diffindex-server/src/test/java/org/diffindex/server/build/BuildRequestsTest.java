package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BuildRequestsTest {
    private BuiltTable table;

    @BeforeEach
    void create() throws IOException {
        table = new BuiltTable();
    }

    private BuildRequest.Builder request() {
        return table.request();
    }

    private BuildResponse answer(BuildRequest.Builder request) throws IOException {
        return BuildRequests.answer(table.connection, table.index, request.build());
    }

    private BuildOrders orders() throws IOException {
        return table.record().read().orders();
    }

    @Test
    void recordsWhatIsOrderedAndKeepsTheRest() throws IOException {
        assertThat(answer(request().setRowsPerSecond(12.5)).getRowsPerSecond()).isEqualTo(12.5);
        assertThat(answer(request().setPaused(true)).getPaused()).isTrue();
        assertThat(orders()).isEqualTo(new BuildOrders(OptionalDouble.of(12.5), true));
        BuildResponse limitless = answer(request().setRowsPerSecond(0));
        assertThat(limitless.getRowsPerSecond()).isZero();
        assertThat(limitless.getPaused()).isTrue();
        assertThat(answer(request().setPaused(false)).getPaused()).isFalse();
        assertThat(orders()).isEqualTo(BuildOrders.NONE);
    }

    @Test
    void aLookOrdersNothing() throws IOException {
        assertThat(BuildRequests.isOrder(request().build())).isFalse();
        assertThat(BuildRequests.isOrder(request().setRetry(true).build())).isTrue();
        assertThat(BuildRequests.isOrder(request().setPaused(false).build())).isTrue();
        assertThat(BuildRequests.isOrder(request().setRowsPerSecond(0).build())).isTrue();
        assertThat(answer(request()).getBuilding()).isTrue();
        assertThat(orders()).isEqualTo(BuildOrders.NONE);
    }

    @Test
    void tellsWhyABuildHasFailedAndLetsItBeTriedAgain() throws IOException {
        table.onPage = page -> {
            throw new DoNotRetryIOException("a row would not expire with its entry");
        };
        new IndexBuild(table.connection, table.index, table.record().read(), new StateChanges(table.connection)).run();
        assertThat(answer(request()).getProblem()).contains("would not expire");
        assertThat(answer(request().setRetry(true)).hasProblem()).isFalse();
        assertThat(answer(request()).hasProblem()).isFalse();
    }

    @Test
    void anIndexThatIsBuiltIsNotBuilding() throws IOException {
        new IndexBuild(table.connection, table.index, table.record().read(), new StateChanges(table.connection)).run();
        assertThat(answer(request().setPaused(true)).getBuilding()).isFalse();
    }

    /** Two operators at the same time: one pauses the build, the other limits its rate. Both are told that it is done. */
    @Test
    void aPauseOutlivesALimitThatIsOrderedAtTheSameTime() throws IOException {
        Connection slow = mock(Connection.class, delegatesTo(table.connection));
        AtomicInteger operations = new AtomicInteger();
        doAnswer(call -> {
                    if (operations.incrementAndGet() == 2) { // the limit has been read and not written yet
                        assertThat(answer(request().setPaused(true)).getPaused())
                                .isTrue();
                    }
                    return table.connection.getTableBuilder(table.index.indexTable(), null);
                })
                .when(slow)
                .getTableBuilder(any(), any());
        BuildRequests.answer(slow, table.index, request().setRowsPerSecond(12.5).build());
        assertThat(orders()).isEqualTo(new BuildOrders(OptionalDouble.of(12.5), true));
    }

    /** Each refused read of an index that is BUILDING asks for this, in a handler of a region server. */
    @Test
    void howFarABuildIsIsToldWithoutAMaster() throws IOException {
        Connection withoutMaster = mock(Connection.class, delegatesTo(table.connection));
        doThrow(new IOException("no master")).when(withoutMaster).getAdmin();
        assertThat(BuildRequests.answer(withoutMaster, table.index, request().build())
                        .getBuilding())
                .isTrue();
    }
}
