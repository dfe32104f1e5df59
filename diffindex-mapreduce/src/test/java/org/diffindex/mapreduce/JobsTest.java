package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class JobsTest {
    /** On another host there is no such keytab, and a task that tries to log in from it fails. */
    @Test
    void tasksDoNotLogInFromTheKeytabOfWhoeverSubmitsTheJob() throws IOException {
        Configuration conf = new Configuration();
        conf.set("hbase.client.keytab.file", "/home/alice/alice.keytab");
        conf.set("hbase.client.keytab.principal", "alice@EXAMPLE.COM");

        Configuration ofTasks = Jobs.create(
                        conf,
                        "a job",
                        new IndexOfJob(TableName.valueOf("t"), "i", "id"),
                        1,
                        GapInput.class,
                        BackfillMapper.class,
                        HandOver.class)
                .getConfiguration();

        assertThat(ofTasks.get("hbase.client.keytab.file")).isNull();
        assertThat(ofTasks.get("hbase.client.keytab.principal")).isNull();
        assertThat(conf.get("hbase.client.keytab.file")).isEqualTo("/home/alice/alice.keytab");
    }
}
