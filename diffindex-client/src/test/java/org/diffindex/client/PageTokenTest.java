package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.CRC32;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.PageTokenException.Reason;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.Test;

class PageTokenTest {
    private static final IndexDefinition BY_CITY = IndexDefinition.builder(TableName.valueOf("ns:t"), "by_city")
            .column("f", "city", ColumnTypes.STRING)
            .build()
            .withId("42");

    private static final byte[] KEY = Bytes.toBytes("Oslo\0\1r1");

    private static IndexQuery.Builder oslo() {
        return IndexQuery.index("by_city").equalTo("Oslo");
    }

    private static String tokenOf(IndexQuery.Builder query) {
        return PageToken.of(BY_CITY, QueryBounds.of(query.build(), BY_CITY), KEY)
                .encode();
    }

    @Test
    void continuesBehindItsKeyInEachDirection() {
        QueryBounds forward = QueryBounds.of(oslo().after(tokenOf(oslo())).build(), BY_CITY);
        assertThat(forward.ranges()).hasToString("[[Oslo\\x00\\x01r1\\x00, Oslo\\x00\\x02)]");
        IndexQuery.Builder reverse = oslo().reverse();
        QueryBounds backward =
                QueryBounds.of(reverse.after(tokenOf(oslo().reverse())).build(), BY_CITY);
        assertThat(backward.ranges()).hasToString("[[Oslo\\x00\\x01, Oslo\\x00\\x01r1)]");
    }

    @Test
    void leavesOutTheRangesBeforeItsKey() {
        IndexQuery.Builder query = IndexQuery.index("by_city").in("Bergen", "Oslo", "Rome");
        String token = tokenOf(query);
        assertThat(QueryBounds.of(query.after(token).build(), BY_CITY).ranges())
                .hasToString("[[Oslo\\x00\\x01r1\\x00, Oslo\\x00\\x02), [Rome\\x00\\x01, Rome\\x00\\x02)]");
    }

    @Test
    void aTokenOfATokenIsOfTheSameQuery() {
        String first = tokenOf(oslo());
        assertThat(tokenOf(oslo().after(first))).isEqualTo(first);
        assertThat(oslo().after(first).build().after()).contains(first);
    }

    @Test
    void isTextThatFitsIntoAUrl() {
        assertThat(tokenOf(oslo())).matches("[A-Za-z0-9_-]+").startsWith("A");
    }

    /** Users keep tokens: a build that does not read this one breaks them. */
    @Test
    void staysTheSameFromBuildToBuild() {
        assertThat(tokenOf(oslo())).isEqualTo("AQAEbnM6dAAHYnlfY2l0eQACNDIn0NJZOyZ68EdllikrPAbLT3NsbwABcjHhIi-H");
    }

    @Test
    void mayDifferInLimitCachingAndRows() {
        QueryBounds bounds = QueryBounds.of(
                oslo().limit(7).caching(3).withRows().after(tokenOf(oslo())).build(), BY_CITY);
        assertThat(bounds.isEmpty()).isFalse();
    }

    @Test
    void isRefusedForAnotherQuery() {
        String token = tokenOf(oslo());
        for (IndexQuery.Builder other : new IndexQuery.Builder[] {
            IndexQuery.index("by_city").equalTo("Rome"),
            IndexQuery.index("by_city"),
            IndexQuery.index("by_city").in("Oslo", "Rome"),
            oslo().reverse()
        }) {
            assertThat(reasonOf(other.after(token), BY_CITY)).isEqualTo(Reason.OTHER_QUERY);
        }
        assertThatThrownBy(() -> QueryBounds.of(oslo().reverse().after(token).build(), BY_CITY))
                .hasMessageContaining("index by_city of table ns:t with other conditions, or in the other direction")
                .hasMessageContaining("nothing was read")
                .hasMessageContaining("without a token");
    }

    @Test
    void isRefusedForAnotherOrAReplacedIndex() {
        String token = tokenOf(oslo());
        IndexDefinition other = IndexDefinition.builder(TableName.valueOf("ns:t"), "by_town")
                .column("f", "city", ColumnTypes.STRING)
                .build()
                .withId("42");
        assertThat(reasonOf(oslo().after(token), other)).isEqualTo(Reason.OTHER_INDEX);
        assertThat(reasonOf(oslo().after(token), BY_CITY.withId("43"))).isEqualTo(Reason.REPLACED_INDEX);
    }

    /** It would make a bound of a scan that HBase refuses. */
    @Test
    void aKeyLongerThanAnyOfTheIndexIsDamaged() {
        byte[] digest = QueryBounds.of(oslo().build(), BY_CITY).digest();
        int longest = BY_CITY.maxKeyLength();
        String fits = new PageToken("ns:t", "by_city", "42", digest, new byte[longest]).encode();
        assertThat(QueryBounds.of(oslo().after(fits).build(), BY_CITY).isEmpty())
                .isFalse();
        IndexQuery.Builder forged =
                oslo().after(new PageToken("ns:t", "by_city", "42", digest, new byte[longest + 1]).encode());
        assertThat(reasonOf(forged, BY_CITY)).isEqualTo(Reason.DAMAGED);
        assertThatThrownBy(() -> QueryBounds.of(forged.build(), BY_CITY))
                .hasMessageContaining("its key of " + (longest + 1) + " bytes is longer than any of index by_city")
                .hasMessageContaining("nothing was read");
    }

    private static Reason reasonOf(IndexQuery.Builder query, IndexDefinition definition) {
        return catchThrowableOfType(PageTokenException.class, () -> QueryBounds.of(query.build(), definition))
                .reason();
    }

    private static Reason reasonOf(String token) {
        return catchThrowableOfType(PageTokenException.class, () -> oslo().after(token))
                .reason();
    }

    @Test
    void aTextThatIsNoTokenIsDamaged() {
        String token = tokenOf(oslo());
        for (String text : new String[] {
            "", "x", "not a token", token + "A", token + token, token.substring(4), token.toLowerCase(Locale.ROOT)
        }) {
            assertThat(reasonOf(text)).as(text).isEqualTo(Reason.DAMAGED);
        }
        for (int length = 0; length < token.length(); length++) {
            assertThat(reasonOf(token.substring(0, length))).isEqualTo(Reason.DAMAGED);
        }
    }

    @Property
    void anyChangedBitIsNoticed(@ForAll @IntRange(max = 10_000) int bit) {
        byte[] bytes = Base64.getUrlDecoder().decode(tokenOf(oslo()));
        int at = bit % (bytes.length * 8);
        bytes[at / 8] ^= (byte) (1 << (at % 8));
        assertThat(reasonOf(text(bytes))).isEqualTo(Reason.DAMAGED);
    }

    /** A text with a right checksum that no build makes. */
    @Property
    void bytesThatAreNoTokenAreRefused(@ForAll @Size(max = 60) byte[] content) {
        byte[] bytes = checksummed(content);
        try {
            PageToken.decode(text(bytes));
        } catch (PageTokenException e) {
            assertThat(e.reason()).isIn(Reason.DAMAGED, Reason.LATER_VERSION);
        }
    }

    @Test
    void aTokenOfALaterVersionIsNamedAsSuch() {
        byte[] bytes = Base64.getUrlDecoder().decode(tokenOf(oslo()));
        byte[] later = Arrays.copyOf(bytes, bytes.length - Integer.BYTES);
        later[0] = 2;
        String token = text(checksummed(later));
        assertThat(reasonOf(token)).isEqualTo(Reason.LATER_VERSION);
        assertThatThrownBy(() -> oslo().after(token))
                .hasMessageContaining("version 2, and this client knows version 1")
                .hasMessageContaining("upgrade this client");
    }

    @Property
    void decodesWhatItEncodes(@ForAll @Size(max = 100) byte[] key, @ForAll @Size(16) byte[] digest) {
        PageToken decoded = PageToken.decode(new PageToken("ns:t\u00e4ble", "i", "", digest, key).encode());
        assertThat(decoded.table()).isEqualTo("ns:t\u00e4ble");
        assertThat(decoded.index()).isEqualTo("i");
        assertThat(decoded.id()).isEmpty();
        assertThat(decoded.digest()).isEqualTo(digest);
        assertThat(decoded.key()).isEqualTo(key);
    }

    private static byte[] checksummed(byte[] content) {
        CRC32 checksum = new CRC32();
        checksum.update(content);
        return ByteBuffer.allocate(content.length + Integer.BYTES)
                .put(content)
                .putInt((int) checksum.getValue())
                .array();
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
