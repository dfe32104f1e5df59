package org.diffindex.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanDeleteTracker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.util.Bytes;

/** Coprocessors of others, beside which a row may show something else than its last write tells. */
final class Intruders {
    /** The beginning of the values that {@link Sparing} spares. */
    static final String SPARED = "spared";

    private Intruders() {}

    /** Returns the change of a table's descriptor that loads a coprocessor. */
    static UnaryOperator<TableDescriptorBuilder> with(Class<? extends RegionCoprocessor> coprocessor) {
        return table -> {
            try {
                return table.setCoprocessor(coprocessor.getName());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Shows rows without their cells. */
    public static final class HidingFromGets implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
            context.bypass();
        }
    }

    /** Hides cells, and has the simple name of another coprocessor. */
    public static final class IndexObserver implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
            context.bypass();
        }
    }

    /** Lets the cells of every scan expire. */
    public static final class Expiring implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preStoreScannerOpen(
                ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options) {
            options.setTTL(1);
        }
    }

    /** Drops cells when they are flushed. */
    public static final class Dropping implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preFlushScannerOpen(
                ObserverContext<RegionCoprocessorEnvironment> context,
                Store store,
                ScanOptions options,
                FlushLifeCycleTracker tracker) {
            options.setTTL(1);
        }
    }

    /** Has tombstones spare some cells, as visibility labels do: those whose value begins with {@link #SPARED}. */
    public static final class Sparing implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        @SuppressWarnings("deprecation") // as HBase declares it
        public DeleteTracker postInstantiateDeleteTracker(
                ObserverContext<RegionCoprocessorEnvironment> context, DeleteTracker tracker) {
            return new ScanDeleteTracker(tracker.getCellComparator()) {
                @Override
                public DeleteResult isDeleted(Cell cell) {
                    boolean isSpared = Bytes.startsWith(CellUtil.cloneValue(cell), Bytes.toBytes(SPARED));
                    boolean isHidden = super.isDeleted(cell) != DeleteResult.NOT_DELETED;
                    // Not COLUMN_DELETED, at which a scan skips the rest of the column.
                    return isHidden && !isSpared ? DeleteResult.VERSION_DELETED : DeleteResult.NOT_DELETED;
                }
            };
        }
    }

    /** Denies more than the one that it extends. */
    public static final class StricterController extends AccessController {
        @Override
        @SuppressWarnings("rawtypes") // as HBase declares it
        public void start(CoprocessorEnvironment env) {}

        @Override
        public void preOpen(ObserverContext<RegionCoprocessorEnvironment> context) {}

        @Override
        public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {}

        @Override
        public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abort) {}
    }
}
