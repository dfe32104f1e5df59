package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.PageTokenException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tests which query the arguments of {@code diffindex get} make. */
class QueryArgumentsTest {
    @Command
    private static final class Holder {
        @Mixin
        private QueryArguments arguments;
    }

    private static IndexQuery query(String... words) {
        Holder holder = new Holder();
        new CommandLine(holder)
                .registerConverter(TableName.class, TableName::valueOf)
                .parseArgs(words);
        holder.arguments.check();
        return holder.arguments.query(false);
    }

    private static List<String> texts(List<Object> values) {
        return values.stream().map(Object::toString).toList();
    }

    @Test
    void anInIsSeparatedByCommas() {
        assertThat(texts(query("t", "by_od", "--in", "A,B").in())).containsExactly("A", "B");
        assertThat(texts(query("t", "by_od", "--in", "A\\,B,,C", "--in", "D").in()))
                .containsExactly("A,B", "", "C", "D");
    }

    @Test
    void whatFollowsAnInIsOfTheColumnAfterIt() {
        IndexQuery query = query("t", "by_od", "--in", "A,B", "--from", "5", "--to=7", "--inclusive", "--reverse");
        assertThat(query.from()).containsExactly(IndexQuery.ofText("5"));
        assertThat(query.to()).containsExactly(IndexQuery.ofText("7"));
        assertThat(query.isToInclusive()).isTrue();
        assertThat(query.isReverse()).isTrue();
        assertThat(query("t", "by_od", "A", "--in", "1,2").in())
                .containsExactly(IndexQuery.ofText("1"), IndexQuery.ofText("2"));
    }

    @Test
    void aPageIsALimit() {
        assertThat(query("t", "by_od", "--page", "7").limit()).isEqualTo(7);
        assertThat(query("t", "by_od").limit()).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> query("t", "by_od", "--page", "7", "--token", "none"))
                .isInstanceOf(PageTokenException.class);
    }

    @Test
    void aPrefixIsTextOfTheColumn() {
        assertThat(query("t", "by_od", "--prefix", "O").prefix()).contains(IndexQuery.ofText("O"));
    }

    /** Only a comma is escaped; the type of the column reads all other escapes. */
    @Test
    void aBackslashStaysUnlessACommaFollows() {
        assertThat(texts(query("t", "by_od", "--in", "\\x00,C:\\,D\\,E", "--in", "F\\", "--in", "\\x2C")
                        .in()))
                .containsExactly("\\x00", "C:,D,E", "F\\", "\\x2C");
        assertThat(texts(query("t", "by_od", "A\\,B").equalTo())).containsExactly("A\\,B");
    }
}
