package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.steps.Interruption;

/** Region faults: operations of an administrator, or of HBase itself, on regions and tables. For one thread. */
final class RegionFaults {
    /** The largest number of regions per table. */
    private static final int MOST_REGIONS = 7;

    /** The master's answers for regions that were split, merged or moved a moment before. */
    private static final Pattern NOT_NOW = Pattern.compile("not mergeable|not splittable|NOT splittable");

    private static final int FEWEST_REGIONS = 2;
    private static final long PATIENCE_SECONDS = 60;

    private final Admin admin;
    private final Regions regions;

    RegionFaults(Admin admin, Regions regions) {
        this.admin = admin;
        this.regions = regions;
    }

    Fault move(List<TableName> tables, PlannedFault plan) throws IOException {
        TableName table = plan.choose(tables);
        RegionInfo region = region(table, plan);
        Optional<ServerName> from = regions.serverOf(table, region);
        List<ServerName> others = new ArrayList<>(admin.getRegionServers());
        from.ifPresent(others::remove);
        if (others.isEmpty()) {
            throw new Fault.NothingToHit("no other server");
        }
        others.sort(null);
        ServerName to = others.get(Math.floorMod(plan.choice() / 13, others.size()));
        admin.move(region.getEncodedNameAsBytes(), to);
        return Fault.momentary(text(region) + " to port " + to.getPort());
    }

    Fault split(List<TableName> tables, PlannedFault plan) throws IOException {
        TableName table = plan.choose(tables);
        if (regions.of(table).size() >= MOST_REGIONS) {
            throw new Fault.NothingToHit(table + " has " + MOST_REGIONS + " regions");
        }
        RegionInfo region = region(table, plan);
        await(admin.splitRegionAsync(
                region.getRegionName(), middle(region, regions.indexTables().contains(table))));
        return Fault.momentary(text(region));
    }

    /**
     * Returns the key halfway between the borders of a region; the lowest or highest key in use replaces an absent
     * border.
     */
    private static byte[] middle(RegionInfo region, boolean index) throws IOException {
        byte[] low = region.getStartKey().length > 0 ? region.getStartKey() : Bytes.toBytes(index ? "v000" : "00");
        byte[] high = region.getEndKey().length > 0 ? region.getEndKey() : Bytes.toBytes(index ? "v099" : "99");
        byte[][] keys = Bytes.split(low, high, 1);
        if (keys == null || keys.length < 3) {
            throw new Fault.NothingToHit("region too narrow");
        }
        return keys[1];
    }

    Fault merge(List<TableName> tables, PlannedFault plan) throws IOException {
        TableName table = plan.choose(tables);
        List<RegionInfo> all = regions.of(table);
        if (all.size() <= FEWEST_REGIONS) {
            throw new Fault.NothingToHit(table + " has " + all.size() + " regions");
        }
        int first = Math.floorMod(plan.choice() / 13, all.size() - 1);
        byte[][] two = {
            all.get(first).getEncodedNameAsBytes(), all.get(first + 1).getEncodedNameAsBytes()
        };
        await(admin.mergeRegionsAsync(two, false));
        return Fault.momentary(text(all.get(first)) + " and the next");
    }

    Fault flush(PlannedFault plan) throws IOException {
        TableName table = plan.choose(regions.allTables());
        admin.flush(table);
        return Fault.momentary(table.toString());
    }

    Fault compact(PlannedFault plan) throws IOException {
        TableName table = plan.choose(regions.allTables());
        admin.majorCompact(table);
        return Fault.momentary(table.toString());
    }

    Fault disable(PlannedFault plan) throws IOException {
        TableName table = plan.choose(regions.indexTables());
        await(admin.disableTableAsync(table));
        return new Fault(table.toString(), () -> {
            enable(table);
            return "";
        });
    }

    /** Enables the tables that an interrupted fault left disabled, and returns their names. */
    List<String> mend() throws IOException {
        List<String> mended = new ArrayList<>();
        for (TableName table : regions.allTables()) {
            if (admin.isTableDisabled(table)) {
                enable(table);
                mended.add(table.toString());
            }
        }
        return mended;
    }

    private void enable(TableName table) throws IOException {
        if (admin.isTableDisabled(table)) {
            await(admin.enableTableAsync(table));
        }
    }

    private RegionInfo region(TableName table, PlannedFault plan) throws IOException {
        List<RegionInfo> all = regions.of(table);
        if (all.isEmpty()) {
            throw new Fault.NothingToHit(table + " has no region now");
        }
        return all.get(Math.floorMod(plan.choice() / 7, all.size()));
    }

    private static String text(RegionInfo region) {
        return region.getTable() + " " + region.getEncodedName();
    }

    private static void await(Future<Void> procedure) throws IOException {
        try {
            procedure.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw Interruption.of("Interrupted while waiting for the master", e);
        } catch (ExecutionException | TimeoutException e) {
            String why = String.valueOf(e.getCause() == null ? e : e.getCause());
            if (NOT_NOW.matcher(why).find()) {
                throw new Fault.NothingToHit(why);
            }
            throw new IOException(why, e);
        }
    }
}
