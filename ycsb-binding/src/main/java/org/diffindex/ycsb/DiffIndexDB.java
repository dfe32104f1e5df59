package org.diffindex.ycsb;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB's five operations on a plain HBase client, which knows nothing of indexes; it works with any workload. All
 * threads share one connection; the client buffers no writes.
 *
 * <p>Properties: {@code columnfamily} (default {@code cf}), and {@code hbase.conf}, the folder of hbase-site.xml
 * (default: the class path). YCSB creates a DB for each thread.
 */
public class DiffIndexDB extends DB {
    private byte[] family;
    private SharedConnection connection;
    private Table table;

    /** Creates a DB; YCSB calls this constructor by reflection. */
    public DiffIndexDB() {}

    /** One call to a table, and its outcome. */
    @FunctionalInterface
    private interface Call {
        Status run(Table table) throws IOException;
    }

    @Override
    public void init() throws DBException {
        family = Bytes.toBytes(getProperties().getProperty(ItemProperties.FAMILY, "cf"));
        try {
            connection = SharedConnection.open(getProperties());
        } catch (IOException e) {
            throw new DBException("The connection to HBase could not be opened: " + e.getMessage(), e);
        }
    }

    @Override
    public void cleanup() throws DBException {
        try {
            if (table != null) {
                table.close();
            }
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            throw new DBException("The connection to HBase could not be closed: " + e.getMessage(), e);
        }
    }

    @Override
    public Status read(String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
        return call("READ", name, on -> {
            Get get = new Get(Bytes.toBytes(key));
            if (fields == null) {
                get.addFamily(family);
            } else {
                fields.forEach(field -> get.addColumn(family, Bytes.toBytes(field)));
            }
            Result row = on.get(get);
            addTo(result, row);
            return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
    }

    @Override
    @SuppressWarnings("NonApiType") // as YCSB declares it
    public Status scan(
            String name, String from, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> result) {
        Scan scan = new Scan().withStartRow(Bytes.toBytes(from)).setLimit(count);
        if (fields == null) {
            scan.addFamily(family);
        } else {
            fields.forEach(field -> scan.addColumn(family, Bytes.toBytes(field)));
        }
        return call("SCAN", name, on -> {
            try (ResultScanner scanner = on.getScanner(scan)) {
                for (Result row = scanner.next(); row != null; row = scanner.next()) {
                    HashMap<String, ByteIterator> values = new HashMap<>();
                    addTo(values, row);
                    result.add(values);
                }
            }
            return Status.OK;
        });
    }

    /** Writes the given columns; in HBase this is the same as {@link #insert}. */
    @Override
    public Status update(String name, String key, Map<String, ByteIterator> values) {
        return put("UPDATE", name, key, values);
    }

    @Override
    public Status insert(String name, String key, Map<String, ByteIterator> values) {
        return put("INSERT", name, key, values);
    }

    @Override
    public Status delete(String name, String key) {
        return call("DELETE", name, on -> {
            on.delete(new Delete(Bytes.toBytes(key)));
            return Status.OK;
        });
    }

    private Status put(String operation, String name, String key, Map<String, ByteIterator> values) {
        Put put = new Put(Bytes.toBytes(key));
        values.forEach((field, value) -> put.addColumn(family, Bytes.toBytes(field), value.toArray()));
        return call(operation, name, on -> {
            on.put(put);
            return Status.OK;
        });
    }

    private static void addTo(Map<String, ByteIterator> values, Result row) {
        if (!row.isEmpty()) {
            for (Cell cell : row.rawCells()) {
                values.put(
                        Bytes.toString(CellUtil.cloneQualifier(cell)),
                        new ByteArrayByteIterator(CellUtil.cloneValue(cell)));
            }
        }
    }

    private Status call(String operation, String name, Call call) {
        try {
            return call.run(tableOf(name));
        } catch (IOException e) {
            System.err.println(operation + " of table " + name + " failed: " + e);
            return Status.ERROR;
        }
    }

    private Table tableOf(String name) throws IOException {
        if (table == null || !table.getName().getNameAsString().equals(name)) {
            if (table != null) {
                table.close();
            }
            table = connection.get().getTable(TableName.valueOf(name));
        }
        return table;
    }
}
