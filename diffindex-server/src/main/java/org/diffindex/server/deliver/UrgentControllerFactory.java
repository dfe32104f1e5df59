package org.diffindex.server.deliver;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellScannable;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.ipc.DelegatingHBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;

/**
 * Sends all calls of a connection to the high-priority handlers.
 *
 * <p>An index write is a leaf: it waits for no other write. If it shared a queue with the writes that wait for it,
 * region servers whose handlers are all busy would wait for each other forever. The priority of a mutation is
 * insufficient: HBase's client ({@code AsyncProcess}) takes a batch's priority from its puts and ignores that of
 * deletes.
 */
public final class UrgentControllerFactory extends RpcControllerFactory {
    /** Creates a factory; HBase calls this constructor by reflection. */
    public UrgentControllerFactory(Configuration conf) {
        super(conf);
    }

    private static final class Urgent extends DelegatingHBaseRpcController {
        Urgent(HBaseRpcController delegate) {
            super(delegate);
        }

        @Override
        public void setPriority(int priority) {
            super.setPriority(HConstants.HIGH_QOS);
        }

        @Override
        public void setPriority(TableName table) {
            super.setPriority(table);
            super.setPriority(HConstants.HIGH_QOS);
        }
    }

    @Override
    public HBaseRpcController newController() {
        return new Urgent(super.newController());
    }

    @Override
    public HBaseRpcController newController(CellScanner cells) {
        return new Urgent(super.newController(cells));
    }

    @Override
    public HBaseRpcController newController(RegionInfo region, CellScanner cells) {
        return new Urgent(super.newController(region, cells));
    }

    @Override
    public HBaseRpcController newController(List<CellScannable> cells) {
        return new Urgent(super.newController(cells));
    }

    @Override
    public HBaseRpcController newController(RegionInfo region, List<CellScannable> cells) {
        return new Urgent(super.newController(region, cells));
    }
}
