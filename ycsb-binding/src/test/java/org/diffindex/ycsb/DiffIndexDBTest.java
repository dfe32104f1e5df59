package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockStatic;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Properties;
import java.util.Vector;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;
import site.ycsb.DBException;
import site.ycsb.Status;

class DiffIndexDBTest {
    /** An exception would end YCSB's process, with exit code 0. */
    @Test
    @SuppressWarnings("JdkObsolete") // as YCSB declares it
    void aFailedScanReturnsAnErrorStatus() throws IOException, DBException {
        ResultScanner scanner = mock(ResultScanner.class, CALLS_REAL_METHODS);
        doThrow(new NotServingRegionException("away")).when(scanner).next();
        Table table = mock(Table.class);
        when(table.getName()).thenReturn(TableName.valueOf("usertable"));
        when(table.getScanner(any(Scan.class))).thenReturn(scanner);
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        DiffIndexDB db = new DiffIndexDB();
        db.setProperties(new Properties());
        try (MockedStatic<ConnectionFactory> factory = mockStatic(ConnectionFactory.class)) {
            factory.when(() -> ConnectionFactory.createConnection(any(Configuration.class)))
                    .thenReturn(connection);
            db.init();
            assertThat(db.scan("usertable", "user1", 10, null, new Vector<>())).isEqualTo(Status.ERROR);
        } finally {
            db.cleanup();
        }
    }
}
