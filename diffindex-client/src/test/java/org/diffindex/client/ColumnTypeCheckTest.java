package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.types.RawBytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.Test;

/** Tests that no index is created with a class that one of the servers lacks. */
class ColumnTypeCheckTest {
    private static final ServerName FIRST = ServerName.valueOf("rs1", 16020, 1);
    private static final ServerName SECOND = ServerName.valueOf("rs2", 16020, 1);
    private static final List<String> TYPES = List.of("class(org.example.MyType)");

    /** A user-defined type. */
    public static final class MyType extends RawBytes {
        public MyType() {}
    }

    @Test
    void checksOnlyUsersClasses() {
        IndexDefinition index = IndexDefinition.builder(TableName.valueOf("t"), "i")
                .column("f", "a", ColumnTypes.STRING)
                .column("f", "b", ColumnTypes.custom(MyType.class))
                .column("f", "c", ColumnTypes.parse("struct(int,class(" + MyType.class.getName() + "))#0"))
                .build();
        assertThat(ColumnTypeCheck.ofUsers(List.of(index)))
                .containsExactly(
                        "class(" + MyType.class.getName() + ")", "struct(int,class(" + MyType.class.getName() + "))#0");
    }

    @Test
    void acceptsTypesThatEveryServerCanLoad() {
        assertThatCode(() -> new ColumnTypeCheck((server, types) -> Map.of()).check(List.of(FIRST, SECOND), TYPES))
                .doesNotThrowAnyException();
    }

    @Test
    void namesTheServersThatCannotLoadAClass() {
        ColumnTypeCheck check = new ColumnTypeCheck((server, types) ->
                server.equals(SECOND) ? Map.of(types.iterator().next(), "it is not on the class path") : Map.of());
        assertThatThrownBy(() -> check.check(List.of(FIRST, SECOND), TYPES))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("rs2,16020,1: it is not on the class path")
                .hasMessageContaining("Nothing was changed")
                .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("rs1"));
    }

    @Test
    void refusesIfAServerDoesNotAnswer() {
        ColumnTypeCheck check = new ColumnTypeCheck((server, types) -> {
            throw new IOException("No registered coprocessor service\n\tat a.Server");
        });
        assertThatThrownBy(() -> check.check(List.of(FIRST), TYPES))
                .hasMessageContaining("rs1,16020,1: it did not answer (No registered coprocessor service)")
                .hasMessageContaining(Coprocessors.INDEX_SERVER_ENDPOINT);
    }

    @Test
    void namesThePermissionThatTheCheckRequires() {
        ColumnTypeCheck check = new ColumnTypeCheck((server, types) -> {
            throw new AccessDeniedException("Insufficient permissions for user 'maker'");
        });
        assertThatThrownBy(() -> check.check(List.of(FIRST), TYPES))
                .hasMessageContaining("rs1,16020,1: HBase allows this check only to users with the permission ADMIN")
                .hasMessageContaining("user 'maker'")
                .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("coprocessor.regionserver"));
    }
}
