package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;

/** The steps of a single write, for each of which HBase has one hook for each kind of mutation. */
interface MutationHooks extends RegionObserver {
    /** Prepares a mutation, before HBase fills in its timestamps. */
    void prepare(Mutation mutation) throws IOException;

    /**
     * Receives the cells that HBase has computed for an increment or append.
     *
     * @param results pairs of an old cell and the new one
     */
    void computed(Mutation delta, List<Pair<Cell, Cell>> results) throws IOException;

    /** Called for each successful write of a batch that HBase has completed, before the next coprocessor is called. */
    void visible() throws IOException;

    @Override
    default void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        prepare(put);
    }

    @Override
    default void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        prepare(delete);
    }

    @Override
    default Result preIncrement(
            ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
            throws IOException {
        prepare(increment);
        return null;
    }

    @Override
    default Result preAppend(ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
            throws IOException {
        prepare(append);
        return null;
    }

    @Override
    default List<Pair<Cell, Cell>> postIncrementBeforeWAL(
            ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation, List<Pair<Cell, Cell>> results)
            throws IOException {
        computed(mutation, results);
        return results;
    }

    @Override
    default List<Pair<Cell, Cell>> postAppendBeforeWAL(
            ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation, List<Pair<Cell, Cell>> results)
            throws IOException {
        computed(mutation, results);
        return results;
    }

    @Override
    default void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        visible();
    }

    @Override
    default void postDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        visible();
    }

    @Override
    default Result postIncrement(
            ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, Result result, WALEdit edit)
            throws IOException {
        visible();
        return result;
    }

    @Override
    default Result postAppend(
            ObserverContext<RegionCoprocessorEnvironment> context, Append append, Result result, WALEdit edit)
            throws IOException {
        visible();
        return result;
    }
}
