package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

class RegionFaultsTest {
    private static final TableName BASE = TableName.valueOf("base");
    private static final TableName INDEX = TableName.valueOf("index");
    private static final ServerName ONE = ServerName.valueOf("localhost", 1, 1);
    private static final ServerName OTHER = ServerName.valueOf("localhost", 2, 1);

    private final Admin admin = mock(Admin.class);
    private final Regions regions = mock(Regions.class);
    private final RegionFaults faults = new RegionFaults(admin, regions);

    @BeforeEach
    void answer() throws IOException {
        when(regions.indexTables()).thenReturn(List.of(INDEX));
        when(regions.allTables()).thenReturn(List.of(BASE, INDEX));
        when(admin.getRegionServers()).thenReturn(List.of(ONE, OTHER));
        when(admin.splitRegionAsync(any(), any())).thenReturn(CompletableFuture.completedFuture(null));
        when(admin.mergeRegionsAsync(any(byte[][].class), anyBoolean()))
                .thenReturn(CompletableFuture.completedFuture(null));
        when(admin.disableTableAsync(any())).thenReturn(CompletableFuture.completedFuture(null));
        when(admin.enableTableAsync(any())).thenReturn(CompletableFuture.completedFuture(null));
    }

    private static PlannedFault plan(int choice) {
        return new PlannedFault(FaultKind.MOVE_BASE, 0, 0, choice, Optional.empty());
    }

    /** Gives a table this many regions, which divide the keys from 00 to 99. */
    private List<RegionInfo> give(TableName table, int count) throws IOException {
        List<RegionInfo> all = new ArrayList<>();
        IntStream.range(0, count)
                .forEach(i -> all.add(RegionInfoBuilder.newBuilder(table)
                        .setStartKey(i == 0 ? new byte[0] : key(i, count))
                        .setEndKey(i == count - 1 ? new byte[0] : key(i + 1, count))
                        .build()));
        when(regions.of(table)).thenReturn(all);
        return all;
    }

    private static byte[] key(int i, int count) {
        return Bytes.toBytes("%02d".formatted(100 * i / count));
    }

    @Test
    void movesARegionToAServerThatDoesNotHoldIt() throws IOException {
        RegionInfo region = give(BASE, 1).get(0);
        when(regions.serverOf(BASE, region)).thenReturn(Optional.of(ONE));
        for (int choice = 0; choice < 40; choice++) {
            assertThat(faults.move(List.of(BASE), plan(choice)).target()).endsWith("to port 2");
        }
        verify(admin, never()).move(any(), eq(ONE));
    }

    @Test
    void doesNotMoveARegionOfTheOnlyServer() throws IOException {
        RegionInfo region = give(BASE, 1).get(0);
        when(regions.serverOf(BASE, region)).thenReturn(Optional.of(ONE));
        when(admin.getRegionServers()).thenReturn(List.of(ONE));
        assertThatThrownBy(() -> faults.move(List.of(BASE), plan(0))).isInstanceOf(Fault.NothingToHit.class);
    }

    @Test
    void splitsARegionBetweenItsEnds() throws IOException {
        List<RegionInfo> all = give(BASE, 3);
        for (int choice = 0; choice < 21; choice += 7) {
            faults.split(List.of(BASE), plan(choice));
        }
        ArgumentCaptor<byte[]> name = ArgumentCaptor.forClass(byte[].class);
        ArgumentCaptor<byte[]> point = ArgumentCaptor.forClass(byte[].class);
        verify(admin, times(3)).splitRegionAsync(name.capture(), point.capture());
        for (int i = 0; i < 3; i++) {
            assertThat(name.getAllValues().get(i)).isEqualTo(all.get(i).getRegionName());
            assertThat(all.get(i).containsRow(point.getAllValues().get(i))).isTrue();
            assertThat(point.getAllValues().get(i)).isNotEqualTo(all.get(i).getStartKey());
        }
    }

    @Test
    void doesNotSplitATableWithEnoughRegionsOrMergeOneWithTooFew() throws IOException {
        give(BASE, 7);
        assertThatThrownBy(() -> faults.split(List.of(BASE), plan(0)))
                .isInstanceOf(Fault.NothingToHit.class)
                .hasMessageContaining("7 regions");
        give(BASE, 2);
        assertThatThrownBy(() -> faults.merge(List.of(BASE), plan(0)))
                .isInstanceOf(Fault.NothingToHit.class)
                .hasMessageContaining("2 regions");
    }

    @Test
    void mergesNeighbouringRegions() throws IOException {
        List<RegionInfo> all = give(BASE, 4);
        for (int choice = 0; choice < 13 * 3; choice += 13) {
            faults.merge(List.of(BASE), plan(choice));
        }
        ArgumentCaptor<byte[][]> pairs = ArgumentCaptor.forClass(byte[][].class);
        verify(admin, times(3)).mergeRegionsAsync(pairs.capture(), eq(false));
        for (int i = 0; i < 3; i++) {
            assertThat(pairs.getAllValues().get(i)).isEqualTo(new byte[][] {
                all.get(i).getEncodedNameAsBytes(), all.get(i + 1).getEncodedNameAsBytes()
            });
        }
    }

    @Test
    void hasNothingToHitIfTheMasterCannotSplitNowButFailsOtherwise() throws IOException {
        give(BASE, 1);
        when(admin.splitRegionAsync(any(), any()))
                .thenReturn(CompletableFuture.failedFuture(new IOException("abc NOT splittable")));
        assertThatThrownBy(() -> faults.split(List.of(BASE), plan(0))).isInstanceOf(Fault.NothingToHit.class);
        when(admin.splitRegionAsync(any(), any()))
                .thenReturn(CompletableFuture.failedFuture(new IOException("no such region")));
        assertThatThrownBy(() -> faults.split(List.of(BASE), plan(0)))
                .isNotInstanceOf(Fault.NothingToHit.class)
                .isInstanceOf(IOException.class);
    }

    @Test
    void enablesADisabledIndexAgain() throws IOException {
        Fault fault = faults.disable(plan(0));
        verify(admin).disableTableAsync(INDEX);
        when(admin.isTableDisabled(INDEX)).thenReturn(true);
        assertThat(fault.undo().run()).isEmpty();
        verify(admin).enableTableAsync(INDEX);
    }

    @Test
    void mendingEnablesAnIndexThatAnInterruptedFaultLeftDisabled() throws IOException {
        assertThat(faults.mend()).isEmpty();
        when(admin.isTableDisabled(INDEX)).thenReturn(true);
        assertThat(faults.mend()).containsExactly("index");
        verify(admin).enableTableAsync(INDEX);
        verify(admin, never()).enableTableAsync(BASE);
    }
}
