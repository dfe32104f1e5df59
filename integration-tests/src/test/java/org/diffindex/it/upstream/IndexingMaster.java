package org.diffindex.it.upstream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.master.HMaster;
import org.diffindex.server.IndexMasterObserver;

/** A master that indexes every table, whatever coprocessors a test configures for it. */
public final class IndexingMaster extends HMaster {
    public IndexingMaster(Configuration conf) throws IOException {
        super(withObservers(conf));
    }

    private static Configuration withObservers(Configuration conf) {
        if (HBaseTestRun.isPlain()) {
            return conf;
        }
        List<String> observers =
                new ArrayList<>(List.of(IndexingObserver.class.getName(), IndexMasterObserver.class.getName()));
        observers.addAll(conf.getTrimmedStringCollection(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY));
        conf.setStrings(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, observers.toArray(String[]::new));
        return conf;
    }
}
