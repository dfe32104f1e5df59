package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsTest {
    @TempDir
    Path folder;

    private static Job job(Configuration conf) throws IOException {
        return Jobs.create(
                conf,
                "a job",
                new IndexOfJob(TableName.valueOf("t"), "i", "id"),
                1,
                GapInput.class,
                BackfillMapper.class,
                HandOver.class);
    }

    /** On another host there is no such keytab, and a task that tries to log in from it fails. */
    @Test
    void tasksDoNotLogInFromTheKeytabOfWhoeverSubmitsTheJob() throws IOException {
        Configuration conf = new Configuration();
        conf.set("hbase.client.keytab.file", "/home/alice/alice.keytab");
        conf.set("hbase.client.keytab.principal", "alice@EXAMPLE.COM");

        Configuration ofTasks = job(conf).getConfiguration();

        assertThat(ofTasks.get("hbase.client.keytab.file")).isNull();
        assertThat(ofTasks.get("hbase.client.keytab.principal")).isNull();
        assertThat(conf.get("hbase.client.keytab.file")).isEqualTo("/home/alice/alice.keytab");
    }

    /** Reads the files of a configuration again, as the classes of YARN do when they name a default file. */
    @Test
    void tasksDoNotLogInFromAKeytabThatAFileNames() throws IOException {
        Path site = folder.resolve("hbase-site.xml");
        Files.writeString(
                site,
                """
                <configuration>
                <property><name>hbase.client.keytab.file</name><value>/home/alice/alice.keytab</value></property>
                <property><name>hbase.client.keytab.principal</name><value>alice@EXAMPLE.COM</value></property>
                <property><name>of.file</name><value>${of.program}/1</value><final>true</final></property>
                </configuration>
                """);
        JobConf conf = new JobConf();
        conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
        conf.set("of.program", "a");
        conf.set("tmpjars", "file:///lib/a.jar");
        Text token = new Text("token");
        conf.getCredentials().addSecretKey(token, new byte[] {1});
        ClassLoader classes = new URLClassLoader(new URL[0]);
        conf.setClassLoader(classes);

        Job job = job(conf);
        Configuration.addDefaultResource("default-of-jobs-test.xml");
        Configuration ofTasks = job.getConfiguration();

        assertThat(ofTasks.get("hbase.client.keytab.file")).isNull();
        assertThat(ofTasks.get("hbase.client.keytab.principal")).isNull();
        assertThat(conf.get("hbase.client.keytab.file")).isEqualTo("/home/alice/alice.keytab");
        assertThat(job.getJobName()).isEqualTo("a job");
        assertThat(ofTasks.getRaw("of.file")).isEqualTo("${of.program}/1");
        assertThat(ofTasks.get("of.file")).isEqualTo("a/1");
        assertThat(ofTasks.getFinalParameters()).contains("of.file");
        assertThat(ofTasks.getStrings("tmpjars"))
                .as("the jars of the submitter, and those of the job's classes")
                .contains("file:///lib/a.jar")
                .hasSizeGreaterThan(1);
        assertThat(ofTasks.getClassLoader()).isSameAs(classes);
        assertThat(job.getCredentials().getSecretKey(token)).containsExactly(1);
        assertThat(ofTasks.get("dfs.blocksize"))
                .as("of the default files of HDFS")
                .isNotNull();
        assertThat(ofTasks.get("yarn.resourcemanager.address"))
                .as("of those of YARN")
                .isNotNull();
    }
}
