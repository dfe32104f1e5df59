package org.diffindex.mapreduce;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;

/**
 * The index that a job is for, as the job's configuration names it. Immutable.
 *
 * @param table the base table
 * @param name the index's name
 * @param id the index's id, so that a job never works on a later index of that name
 */
record IndexOfJob(TableName table, String name, String id) {
    private static final String TABLE = "diffindex.mapreduce.table";
    private static final String NAME = "diffindex.mapreduce.index";
    private static final String ID = "diffindex.mapreduce.index.id";

    static IndexOfJob of(IndexDefinition index) {
        return new IndexOfJob(index.table(), index.name(), index.id());
    }

    static IndexOfJob in(Configuration conf) {
        return new IndexOfJob(TableName.valueOf(conf.get(TABLE)), conf.get(NAME), conf.get(ID));
    }

    void enter(Configuration conf) {
        conf.set(TABLE, table.getNameAsString());
        conf.set(NAME, name);
        conf.set(ID, id);
    }

    @Override
    public String toString() {
        return "index " + name + " on " + table;
    }
}
