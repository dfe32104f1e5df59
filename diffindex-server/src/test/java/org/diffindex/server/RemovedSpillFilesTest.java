package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.server.local.Flights;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the master removes no spill file of an index, whenever that was created. */
class RemovedSpillFilesTest {
    private static final IndexDefinition OLD =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("id-1");
    private static final IndexDefinition NEW = IndexDefinition.builder(Flights.TABLE, "new")
            .column(OLD.keyColumns().get(0))
            .build()
            .withId("id-2");

    /** Runs before the next removal arrives at the file system. */
    private static Event beforeRemoval;

    @FunctionalInterface
    private interface Event {
        void run() throws IOException;
    }

    /** A file system that is slow to remove files and folders. */
    public static final class Slow extends LocalFileSystem {
        @Override
        public boolean delete(Path path, boolean recursive) throws IOException {
            Event event = beforeRemoval;
            if (event != null) {
                beforeRemoval = null;
                event.run();
            }
            return super.delete(path, recursive);
        }
    }

    @Test
    void keepsTheFilesOfAnIndexThatIsCreatedMeanwhile(@TempDir java.nio.file.Path root) throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        conf.set("fs.file.impl", Slow.class.getName());
        conf.set("fs.file.impl.disable.cache", "true");
        FSTableDescriptors tables = new FSTableDescriptors(conf);
        MasterCoprocessorEnvironment env = mock(MasterCoprocessorEnvironment.class);
        when(env.getConfiguration()).thenReturn(conf);
        when(env.getServerName()).thenReturn(ServerName.valueOf("master", 1, 1));
        ObserverContext<MasterCoprocessorEnvironment> context = mock();
        when(context.getEnvironment()).thenReturn(env);
        IndexMasterObserver observer = new IndexMasterObserver();
        observer.start(env);
        TableDescriptor base = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Flights.F))
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        tables.update(base);
        tables.update(IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(OLD.indexTable())
                                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY)),
                        OLD,
                        IndexState.ACTIVE)
                .build());
        Path file = new Path(SpillFiles.folderOf(conf, Flights.TABLE), "regions/r.k/file");
        Path ofOld = new Path(file.getParent(), "old");
        Path otherOfOld = new Path(SpillFiles.folderOf(conf, Flights.TABLE), "regions/r2.k/old");
        FileSystem files = file.getFileSystem(conf);
        files.create(ofOld).close();
        files.create(otherOfOld).close();
        beforeRemoval = () -> {
            tables.update(IndexDefinitions.with(base, NEW)); // by another client; a region spills what the index lacks
            files.create(file).close();
        };
        observer.preDeleteTable(context, OLD.indexTable()); // of the last index, whose definition was removed
        assertThat(files.exists(file)).isTrue();
        assertThat(files.exists(ofOld)).isFalse();
        assertThat(files.exists(otherOfOld.getParent())).isFalse();
    }
}
