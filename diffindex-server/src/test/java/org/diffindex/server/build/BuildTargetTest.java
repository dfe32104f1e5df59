package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.util.List;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.log4j.Appender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a master says of the indexes that only a later build knows; it looks again and again. */
class BuildTargetTest {
    private static final IndexDefinition INDEX =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("id-1");

    private final Logger logger = Logger.getLogger(BuildTarget.class);
    private final Level level = logger.getLevel();
    private final StringWriter log = new StringWriter();
    private final Appender appender = new WriterAppender(new SimpleLayout(), log);

    @BeforeEach
    void listen() {
        logger.addAppender(appender);
        logger.setLevel(Level.WARN);
    }

    @AfterEach
    void end() {
        logger.removeAppender(appender);
        logger.setLevel(level);
    }

    /** Returns the table of an index of the next format. */
    private static TableDescriptor own(IndexState state) {
        return IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(INDEX.indexTable()), INDEX, state)
                .setValue("diffindex.format", "3")
                .build();
    }

    private static List<TableDescriptor> tables(TableDescriptor own) {
        return List.of(
                own,
                IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(Flights.TABLE).build(), INDEX));
    }

    @Test
    void saysNothingOfAnIndexThatIsNotToBeBuilt() {
        assertThat(BuildTarget.among(tables(own(IndexState.ACTIVE)))).isEmpty();
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void saysThatAnIndexIsLeftToALaterBuild() {
        TableDescriptor building = BuildFamily.add(own(IndexState.BUILDING), OptionalDouble.empty(), false);
        assertThat(BuildTarget.among(tables(building))).isEmpty();
        assertThat(log.toString())
                .contains("WARN - The index of table " + INDEX.indexTable()
                        + " is to be built, and left to a master of a later")
                .contains("its format is 3");
    }
}
