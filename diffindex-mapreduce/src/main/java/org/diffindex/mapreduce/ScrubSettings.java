package org.diffindex.mapreduce;

import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubOptions;

/** The options of a scrub in the configuration of its job. */
final class ScrubSettings {
    private static final String RATE = "diffindex.mapreduce.scrub.rate";
    private static final String LAG_MS = "diffindex.mapreduce.scrub.lag.ms";
    private static final String REPAIR = "diffindex.mapreduce.scrub.repair";
    private static final String SCHEME = "diffindex.mapreduce.scrub.scheme";
    private static final String SAMPLES = "diffindex.mapreduce.scrub.samples";

    private ScrubSettings() {}

    /**
     * Enters the options of a job.
     *
     * @param scheme the scheme by which all mappers judge, whether or not it changes meanwhile
     */
    static void enter(ScrubOptions options, IndexScheme scheme, Configuration conf) {
        conf.set(SCHEME, scheme.schemeName());
        conf.setDouble(RATE, options.rowsPerSecond());
        conf.setLong(LAG_MS, options.lag().toMillis());
        conf.setBoolean(REPAIR, options.repair());
        conf.setInt(SAMPLES, options.samples());
    }

    static IndexScheme schemeIn(Configuration conf) {
        return IndexScheme.ofName(conf.get(SCHEME));
    }

    /** Returns the options of one mapper, which has its part of the rate. */
    static ScrubOptions in(Configuration conf) {
        return ScrubOptions.DEFAULT
                .withThreads(1)
                .withRowsPerSecond(conf.getDouble(RATE, 0) / Jobs.mapsIn(conf))
                .withLag(Duration.ofMillis(
                        conf.getLong(LAG_MS, ScrubOptions.DEFAULT.lag().toMillis())))
                .withRepair(conf.getBoolean(REPAIR, false))
                .withSamples(conf.getInt(SAMPLES, ScrubOptions.DEFAULT.samples()));
    }
}
