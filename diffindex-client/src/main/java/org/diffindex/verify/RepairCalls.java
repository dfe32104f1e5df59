package org.diffindex.verify;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;

/**
 * Makes the servers of base rows repair their entries: one call for each region, which is looked up again if it has
 * moved or split.
 */
final class RepairCalls {
    private static final int TURNS = 10;

    private final Connection connection;
    private final IndexDefinition definition;

    RepairCalls(Connection connection, IndexDefinition definition) {
        this.connection = connection;
        this.definition = definition;
    }

    /** Repairs entries; returns when all are done. */
    void run(List<RowRepair> repairs) throws IOException {
        List<RowRepair> left = repairs;
        for (int turn = 0; turn < TURNS && !left.isEmpty(); turn++) {
            left = turn(left, turn > 0);
        }
        if (!left.isEmpty()) {
            throw new IOException(left.size() + " rows of " + definition.table()
                    + " were not repaired, because their regions split or moved repeatedly; scrub again");
        }
    }

    /** Makes one call for each region; returns the repairs whose rows are in other regions. */
    private List<RowRepair> turn(List<RowRepair> repairs, boolean lookUpAgain) throws IOException {
        TreeMap<byte[], List<RowRepair>> byRegion = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        try (RegionLocator locator = connection.getRegionLocator(definition.table())) {
            for (RowRepair repair : repairs) {
                byte[] region = locator.getRegionLocation(repair.row(), lookUpAgain)
                        .getRegion()
                        .getStartKey();
                byRegion.computeIfAbsent(region, start -> new ArrayList<>()).add(repair);
            }
        }
        List<RowRepair> elsewhere = new ArrayList<>();
        for (List<RowRepair> ofRegion : byRegion.values()) {
            call(ofRegion).getElsewhereList().forEach(i -> elsewhere.add(ofRegion.get(i)));
        }
        return elsewhere;
    }

    private RepairResponse call(List<RowRepair> repairs) throws IOException {
        RepairRequest.Builder request =
                RepairRequest.newBuilder().setIndex(definition.name()).setIndexId(definition.id());
        for (RowRepair repair : repairs) {
            Repair.Builder one = Repair.newBuilder().setRow(ByteString.copyFrom(repair.row()));
            repair.key().ifPresent(key -> one.setKey(ByteString.copyFrom(key)).setStamp(repair.stamp()));
            request.addRepairs(one);
        }
        byte[] row = repairs.get(0).row();
        try (Table base = connection.getTable(definition.table())) {
            return DiffIndexService.newBlockingStub(base.coprocessorService(row))
                    .repair(null, request.build());
        } catch (ServiceException e) {
            throw new IOException(
                    "A repair in the region of " + definition.table() + " that holds row '" + Bytes.toStringBinary(row)
                            + "' failed: " + (e.getCause() == null ? e : e.getCause()).getMessage()
                            + "; earlier repairs are complete, scrub again for the rest",
                    e);
        }
    }
}
