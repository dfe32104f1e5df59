package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.EntryFormat;
import org.junit.jupiter.api.Test;

/** Tests who reads what a build remembers; {@code AccessIT} does with the permissions of HBase. */
class BuildReadersTest {
    private static final byte[] ROW = BuildFamily.ROW;

    private final CallPermissions permissions = mock(CallPermissions.class);

    private Query read(Optional<CallPermissions> known, boolean isOwner) throws IOException {
        when(permissions.mayOwn()).thenReturn(isOwner);
        Scan scan = new Scan();
        new BuildReaders(known).restrict(scan);
        return scan;
    }

    @Test
    void ownersReadEverything() throws IOException {
        assertThat(read(Optional.of(permissions), true).getFilter()).isNull();
    }

    @Test
    void nothingIsLeftOutOfTheTableOfAnIndexThatIsBuilt() throws IOException {
        assertThat(read(Optional.empty(), false).getFilter()).isNull();
    }

    @Test
    void othersReadEntriesOnly() throws IOException {
        Query read = read(Optional.of(permissions), false);
        assertThat(read.getFilter().filterCell(cell(BuildFamily.NAME))).isNotEqualTo(ReturnCode.INCLUDE);
        assertThat(read.getFilter().filterCell(cell(EntryFormat.FAMILY))).isEqualTo(ReturnCode.INCLUDE);
    }

    @Test
    void othersLearnNothingByConditionsEither() throws IOException {
        assertThat(new BuildReaders(Optional.of(permissions)).mayReadAll()).isFalse();
        when(permissions.mayOwn()).thenReturn(true);
        assertThat(new BuildReaders(Optional.of(permissions)).mayReadAll()).isTrue();
        assertThat(new BuildReaders(Optional.empty()).mayReadAll()).isTrue();
    }

    @Test
    void theFilterOfTheReaderRemains() throws IOException {
        Scan scan = new Scan().setFilter(new PageFilter(7));
        new BuildReaders(Optional.of(permissions)).restrict(scan);
        assertThat(scan.getFilter()).asString().contains("FamilyFilter", "PageFilter 7");
    }

    private static KeyValue cell(byte[] family) {
        return new KeyValue(ROW, family, BuildFamily.BUILDER, 1, ROW);
    }
}
