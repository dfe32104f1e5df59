package org.diffindex.lab.bench.rivals;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.diffindex.lab.bench.statistics.Contender;

/**
 * Another system that keeps tables with indexes in HBase, and that {@code diffindex bench --against} measures beside
 * plain HBase and the schemes of Diff-Index. {@link Rivals} finds implementations on the class path, so that the lab
 * needs no library of another system. Thread-safe.
 */
public interface Rival {
    /** Returns the name that {@code --against} takes. */
    String name();

    /** Returns the facts of the system that the report states, such as its version, by name. */
    Map<String, String> facts();

    /** Returns the properties that {@code hbase-site.xml} of the servers must have. */
    Map<String, String> siteProperties();

    /**
     * Returns the contenders, in the order of the report. Their labels are distinct, and differ from those of plain
     * HBase and of the schemes.
     */
    List<Contender> contenders();

    /** Returns the goals of Diff-Index relative to the contenders. */
    List<RivalGoal> goals();

    /**
     * Returns the table of a contender, which need not exist yet.
     *
     * @param cluster the configuration of a client of the cluster
     */
    RivalTable table(Contender contender, Configuration cluster);
}
