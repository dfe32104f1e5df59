package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.WorkloadException;

class ItemPropertiesTest {
    static Properties properties(String... namesAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    private static void assertRefused(String message, String... namesAndValues) {
        assertThatThrownBy(() -> ItemProperties.of(properties(namesAndValues)))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @Test
    void thePaperTableIsTheDefault() throws WorkloadException {
        ItemProperties defaults = ItemProperties.of(new Properties());
        assertThat(defaults.table()).isEqualTo(TableName.valueOf("item"));
        assertThat(defaults.family()).isEqualTo("cf");
        assertThat(defaults.scheme()).contains(IndexScheme.SYNC_FULL);
        assertThat(defaults.session()).isFalse();
        assertThat(defaults.load()).isFalse();
        assertThat(defaults.fieldLength()).isEqualTo(100);
        assertThat(defaults.distribution()).isEqualTo(ItemProperties.Distribution.UNIFORM);
        assertThat(defaults.proportion(ItemOperation.UPDATE)).isEqualTo(0.5);
        assertThat(defaults.proportion(ItemOperation.READ_BY_INDEX)).isEqualTo(0.5);
        assertThat(defaults.selectivity()).isEqualTo(0.001);
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void everySchemeMakesTwoIndexesOfThatScheme(IndexScheme scheme) throws WorkloadException {
        ItemProperties properties = ItemProperties.of(
                properties("diffindex.scheme", scheme.schemeName(), "columnfamily", "f", "diffindex.regions", "4"));
        ItemTable table = new ItemTable(properties);
        assertThat(table.definitions()).extracting(IndexDefinition::name).containsExactly("by_title", "by_price");
        assertThat(table.definitions()).allSatisfy(definition -> {
            assertThat(definition.scheme()).isEqualTo(scheme);
            assertThat(definition.splitPoints()).hasDimensions(3, definition.splitPoints()[0].length);
        });
        assertThat(table.definitions().get(0).keyColumns()).hasToString("[f:item_title:string]");
        assertThat(table.definitions().get(1).keyColumns()).hasToString("[f:item_price:long]");
        assertThat(table.splitKeys()[1]).asString().isEqualTo("8000000000000000");
    }

    @Test
    void withoutASchemeThereIsNoIndex() throws WorkloadException {
        ItemProperties none = ItemProperties.of(
                properties("diffindex.scheme", "none", "updateproportion", "1", "readbyindexproportion", "0"));
        assertThat(none.scheme()).isEmpty();
        assertThat(new ItemTable(none).definitions()).isEmpty();
        assertRefused(
                "diffindex.scheme=none leaves no index to read: set readbyindexproportion and rangebyindexproportion to"
                        + " 0",
                "diffindex.scheme",
                "none");
        assertRefused(
                "diffindex.session=true requires an index", "diffindex.scheme", "none", "diffindex.session", "true");
    }

    @Test
    void refusesAnUnknownSchemeAndListsTheKnownOnes() {
        assertRefused(
                "Property diffindex.scheme must be 'none' or a scheme, not 'sync': No index scheme is called 'sync';"
                        + " the schemes are sync-full, sync-insert, async-simple, async-session",
                "diffindex.scheme",
                "sync");
    }

    @Test
    void proportionsSumToOne() throws WorkloadException {
        assertRefused("The proportions must sum to 1, not to 0.7", "updateproportion", "0.2");
        assertRefused(
                "The proportions must sum to 1, not to 0.0", "updateproportion", "0", "readbyindexproportion", "0");
        assertRefused("The proportions must sum to 1, not to 2.0", "insertproportion", "1");
        ItemProperties thirds = ItemProperties.of(properties(
                "updateproportion", "0.3333333",
                "readbyindexproportion", "0.3333333",
                "rangebyindexproportion", "0.3333334"));
        assertThat(thirds.proportion(ItemOperation.RANGE_BY_INDEX)).isEqualTo(0.3333334);
    }

    @Test
    void aLoadInsertsWhateverTheProportions() throws WorkloadException {
        ItemProperties load = ItemProperties.of(
                properties("dotransactions", "false", "updateproportion", "0", "diffindex.scheme", "none"));
        assertThat(load.load()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "updateproportion|half|a number from 0 to 1",
                "updateproportion|-0.5|a number from 0 to 1",
                "updateproportion|NaN|a number from 0 to 1",
                "diffindex.selectivity|1.5|a number from 0 to 1",
                "diffindex.session|yes|true or false",
                "diffindex.regions|0|a whole number from 1 to 1000",
                "fieldlength|1e3|a whole number from 0",
                "recordcount|0|a whole number from 1",
                "recordcount|many|a whole number from 1",
                "requestdistribution|hotspot|one of [uniform, zipfian, latest]",
                "table|a b|a table name"
            })
    void anInvalidValueIsRefusedByName(String name, String value, String wanted) {
        assertRefused("Property " + name + " must be " + wanted, name, value);
        assertRefused("not '" + value + "'", name, value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"uniform", "zipfian", "latest"})
    void everyDistributionRequestsExistingItems(String distribution) throws WorkloadException {
        ItemChooser chooser = new ItemChooser(ItemProperties.of(properties(
                "requestdistribution", distribution,
                "recordcount", "50",
                "operationcount", "1000",
                "insertproportion", "0.5",
                "updateproportion", "0.5",
                "readbyindexproportion", "0")));
        ItemStates states = new ItemStates();
        boolean[] chosen = new boolean[50];
        for (int i = 0; i < 5000; i++) {
            long item = chooser.next(states);
            assertThat(item).isBetween(0L, 49L);
            chosen[(int) item] = true;
        }
        assertThat(chosen).as("items chosen").contains(true);

        long inserted = chooser.beginInsert();
        assertThat(inserted).isEqualTo(50);
        for (int i = 0; i < 1000; i++) {
            assertThat(chooser.next(states)).isNotEqualTo(inserted);
        }
        chooser.endInsert(inserted);
    }

    @Test
    void itemsKnownToBeDeletedAreNotRequested() throws WorkloadException {
        ItemChooser chooser = new ItemChooser(ItemProperties.of(properties("recordcount", "2")));
        ItemStates states = new ItemStates();
        assertThat(states.begin(0)).isEqualTo(1);
        states.end(0, true, true);
        int ones = 0;
        for (int i = 0; i < 200; i++) {
            ones += (int) chooser.next(states);
        }
        assertThat(ones).isGreaterThanOrEqualTo(199);
    }
}
