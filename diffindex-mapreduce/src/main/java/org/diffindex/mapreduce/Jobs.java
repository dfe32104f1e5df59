package org.diffindex.mapreduce;

import com.google.protobuf.Message;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos;
import org.diffindex.tasks.Retries;

/** The common parts of the jobs. */
final class Jobs {
    /** The configuration key for the number of mappers that run at a time. */
    private static final String MAPS = "mapreduce.job.running.map.limit";

    private static final String LOCAL_MAPS = "mapreduce.local.map.tasks.maximum";

    /**
     * The configuration keys by which HBase's client logs in from a keytab. The keytab is on the host of the user who submits a
     * job, and not where its tasks run, which have the user's token.
     */
    private static final List<String> LOGIN = List.of("hbase.client.keytab.file", "hbase.client.keytab.principal");

    private Jobs() {}

    /**
     * Creates a job of mappers alone, that runs as the present user and brings the classes it needs; on a cluster that requires
     * Kerberos, also a token of that user, which HBase accepts for a week by default.
     *
     * @param conf of the cluster and of the engine; copied
     * @param maps how many mappers run at a time
     */
    static Job create(
            Configuration conf,
            String name,
            IndexOfJob index,
            int maps,
            Class<? extends RangeInput> input,
            Class<? extends Mapper<NullWritable, NullWritable, NullWritable, ?>> mapper,
            @SuppressWarnings("rawtypes") Class<? extends OutputFormat> output)
            throws IOException {
        Job job = Job.getInstance(conf, name);
        Configuration own = job.getConfiguration();
        index.enter(own);
        own.setInt(MAPS, maps);
        own.setInt(LOCAL_MAPS, maps);
        own.setInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 0); // the range of a mapper that has failed is not done
        job.setJarByClass(Jobs.class);
        job.setInputFormatClass(input);
        job.setMapperClass(mapper);
        job.setMapOutputKeyClass(NullWritable.class);
        job.setMapOutputValueClass(NullWritable.class);
        job.setOutputFormatClass(output);
        job.setNumReduceTasks(0);
        job.setSpeculativeExecution(false); // a second attempt would do the same calls at the same time
        TableMapReduceUtil.addDependencyJars(job);
        TableMapReduceUtil.addDependencyJarsForClasses(
                own,
                IndexDefinition.class,
                DiffIndexProtos.class,
                Retries.class,
                DiffIndexAdmin.class,
                Message.class,
                Histogram.class);
        TableMapReduceUtil.initCredentials(job);
        return withoutLogin(job);
    }

    /** Returns a job with the settings and credentials of another, except for those of the login. */
    private static Job withoutLogin(Job job) throws IOException {
        Job copy = Job.getInstance(withoutLogin(job.getConfiguration()));
        copy.getCredentials().addAll(job.getCredentials());
        return copy;
    }

    /**
     * Returns a copy of a configuration without the settings of the login. The copy has no files: Hadoop reads those of a
     * configuration again when a class of the engine names a further one, and finds in them what was unset.
     */
    private static Configuration withoutLogin(Configuration conf) throws IOException {
        Configuration others = new Configuration(conf);
        LOGIN.forEach(others::unset);
        ByteArrayOutputStream settings = new ByteArrayOutputStream();
        others.writeXml(settings); // which keeps variables, and what is final
        Configuration copy = new Configuration(false);
        copy.setClassLoader(conf.getClassLoader());
        copy.addResource(new ByteArrayInputStream(settings.toByteArray()), "settings of the job", false);
        return copy;
    }

    /** Returns how many mappers of a job run at a time. */
    static int mapsIn(Configuration conf) {
        return conf.getInt(MAPS, 1);
    }
}
