package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when replaced files are noticed. */
class FileReplacementsTest {
    private final StoreFile first = mock();
    private final StoreFile second = mock();
    private final List<StoreFile> files = new ArrayList<>(List.of(first, second));
    private final Store store = mock();
    private int reports;
    private final FileReplacements replacements = new FileReplacements(() -> reports++);

    @BeforeEach
    void listFiles() {
        doReturn(files).when(store).getStorefiles();
    }

    @Test
    void reportsAReplacementOnce() {
        replacements.compactionBegins(store, List.of(first, second));
        replacements.notice();
        assertThat(reports).isZero();
        files.clear(); // nothing is left of them
        replacements.notice();
        replacements.notice();
        assertThat(reports).isOne();
    }

    @Test
    void aCompactionThatFailsIsNoReplacement() {
        replacements.compactionBegins(store, List.of(first));
        replacements.compactionBegins(store, List.of(first, second)); // the next attempt
        replacements.notice();
        assertThat(reports).isZero();
        files.remove(first);
        replacements.notice();
        assertThat(reports).isOne();
    }

    /** Nobody asks what the rows of an idle region show, and a file that is kept here is kept with its reader. */
    @Test
    void nothingIsKeptOfCompactionsBeforeTheLast() {
        List<StoreFile> all =
                Stream.generate(() -> mock(StoreFile.class)).limit(10).toList();
        files.addAll(all);
        for (StoreFile file : all) {
            replacements.compactionBegins(store, List.of(file));
            files.remove(file);
        }
        assertThat(replacements.size()).isOne();
        assertThat(reports).isEqualTo(9);
        replacements.notice();
        assertThat(replacements.size()).isZero();
    }

    @Test
    void eachCompactionIsNoticed() {
        replacements.compactionBegins(store, List.of(first));
        replacements.compactionBegins(store, List.of(second));
        files.remove(second);
        replacements.notice();
        assertThat(reports).isOne();
        files.remove(first);
        replacements.notice();
        assertThat(reports).isEqualTo(2);
    }
}
