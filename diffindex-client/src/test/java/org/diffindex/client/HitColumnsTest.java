package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.HitColumnException.Reason;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.junit.jupiter.api.Test;

/** Tests the values of a hit by the names of their columns. */
class HitColumnsTest {
    private static final IndexHit HIT = hit(
            "f:origin,f:delay:int,f:distance:long,f:factor:double,g:code:bytes,f:packed:struct(int,string)#0,"
                    + "f:packed:struct(int,string)#1,g:dest,f:dest",
            "ORD",
            -5,
            1L << 40,
            0.5,
            new byte[] {0, 1},
            7,
            "seven",
            "LAX",
            "ATL");

    private static IndexHit hit(String columns, Object... values) {
        IndexDefinition.Builder builder = IndexDefinition.builder(TableName.valueOf("flights"), "by_all");
        IndexedColumn.parseList(columns).forEach(builder::column);
        IndexDefinition definition = builder.build();
        List<byte[]> bytes = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            bytes.add(definition.keyColumns().get(i).type().toValue(values[i]));
        }
        return new IndexHit(definition, new IndexKeyCodec.Key(bytes, Bytes.toBytes("r")), null, Optional.empty(), null);
    }

    private static void assertRefused(Runnable read, Reason reason, String... message) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        HitColumnException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContainingAll(message)
                .hasMessageContaining("index by_all of table flights");
    }

    @Test
    void returnsValuesOfEveryType() {
        assertThat(HIT.getString("origin")).isEqualTo("ORD");
        assertThat(HIT.getString("f:origin")).isEqualTo("ORD");
        assertThat(HIT.getString("f:origin:string")).isEqualTo("ORD");
        assertThat(HIT.getInt("delay")).isEqualTo(-5);
        assertThat(HIT.getLong("f:distance")).isEqualTo(1L << 40);
        assertThat(HIT.getDouble("factor")).isEqualTo(0.5);
        assertThat(HIT.getBytes("code")).isEqualTo(new byte[] {0, 1});
        assertThat(HIT.getBytes("delay")).isEqualTo(Bytes.toBytes(-5));
        assertThat(HIT.get("g:code", byte[].class)).isEqualTo(new byte[] {0, 1});
        assertThat(HIT.get("delay", Number.class)).isEqualTo(-5);
    }

    @Test
    void tellsFieldsOfAPackedColumnAndFamiliesApart() {
        assertThat(HIT.getInt("f:packed:struct(int,string)#0")).isEqualTo(7);
        assertThat(HIT.getString("f:packed:struct(int,string)#1")).isEqualTo("seven");
        assertThat(HIT.getString("g:dest")).isEqualTo("LAX");
        assertThat(HIT.getString("f:dest")).isEqualTo("ATL");
        assertRefused(() -> HIT.getString("dest"), Reason.AMBIGUOUS, "name one of them: g:dest:string, f:dest:string");
        assertRefused(() -> HIT.getBytes("f:packed"), Reason.AMBIGUOUS, "#0", "#1");
    }

    @Test
    void refusesColumnsThatTheIndexDoesNotHave() {
        assertRefused(() -> HIT.getString("orign"), Reason.UNKNOWN, "'orign'", "f:origin:string, f:delay:int");
        assertRefused(() -> HIT.getString("g:origin"), Reason.UNKNOWN, "'g:origin'");
        assertRefused(() -> HIT.getBytes("f:origin:int"), Reason.UNKNOWN, "'f:origin:int'");
        assertRefused(() -> HIT.getString(""), Reason.UNKNOWN, "''");
    }

    @Test
    void refusesOtherTypes() {
        assertRefused(() -> HIT.getInt("origin"), Reason.OTHER_TYPE, "is no Integer", "is read as String");
        assertRefused(() -> HIT.getLong("delay"), Reason.OTHER_TYPE, "f:delay:int", "is read as Integer");
        assertRefused(() -> HIT.getString("code"), Reason.OTHER_TYPE, "is read as byte[]");
        assertRefused(() -> HIT.getDouble("distance"), Reason.OTHER_TYPE, "is read as Long");
    }

    @Test
    void namesEscapedBytes() {
        IndexHit hit = hit("f:a\\x3Ab,f:\\x00", "colon", "zero");
        assertThat(hit.getString("a\\x3Ab")).isEqualTo("colon");
        assertThat(hit.getString("f:\\x00")).isEqualTo("zero");
    }
}
