package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.util.Order;
import org.junit.jupiter.api.Test;

/** Tests definitions that name a user's class which does not work. */
class FailingTypeTest {
    /** A type of which one method fails, as one does that was compiled against another version of HBase. */
    public static final class Failing extends RawBytes {
        @SuppressWarnings("deprecation")
        public Failing() {
            super(Order.ASCENDING);
        }

        @Override
        public boolean isSkippable() {
            throw new UnsupportedOperationException("on purpose");
        }
    }

    @Test
    void oneIndexWhoseClassFailsDoesNotConcernTheOthers() {
        String failing = "{\"columns\":[\"f:packed:struct(class(" + Failing.class.getName()
                + "),int)#1\"],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"1\"}";
        String good =
                "{\"columns\":[\"f:q:string\"],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"2\"}";
        TableIndexes indexes = TableIndexes.of(TableName.valueOf("t"), Map.of("failing", failing, "good", good));
        assertThat(indexes.loaded()).containsOnlyKeys("good");
        assertThat(indexes.unloaded()).containsOnlyKeys("failing");
    }
}
