package org.diffindex.server;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * A second coprocessor of a base region: before the region opens, gives the index HBase's own clock if a test has set
 * that. The index has no seam for it.
 */
public final class ClockSetter implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(this);
    }

    @Override
    public void preOpen(ObserverContext<RegionCoprocessorEnvironment> context) throws IOException {
        EnvironmentEdge edge = EnvironmentEdgeManager.getDelegate();
        if (edge instanceof ManualClock clock) {
            HRegion region = (HRegion) context.getEnvironment().getRegion();
            IndexObserver observer = region.getCoprocessorHost().findCoprocessor(IndexObserver.class);
            try {
                RegionIndexes indexes =
                        (RegionIndexes) field(observer, "indexes").get(observer);
                if (indexes != null) {
                    field(indexes, "wallClock").set(indexes, clock);
                    field(indexes.clock(), "source").set(indexes.clock(), clock);
                }
            } catch (ReflectiveOperationException e) {
                throw new IOException("The clock could not be set", e);
            }
        }
    }

    private static Field field(Object object, String name) throws NoSuchFieldException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
