package org.diffindex.cli;

import java.util.Arrays;
import java.util.List;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Option;

/** The options of {@code alter-index} that say which columns, conditions, protected cells, split points and format an index gets. */
final class ColumnsArguments {
    @Option(
            names = "--columns",
            paramLabel = "FAMILY:QUALIFIER[:TYPE],...",
            description = "The new columns, in the order of the key; default: those that it has.")
    private Arguments.Columns columns;

    @Option(
            names = "--include",
            paramLabel = "FAMILY:QUALIFIER[:TYPE],...",
            description = "The columns that the entries are to include; default: those that they do.")
    private Arguments.Columns included;

    @Option(names = "--include-none", description = "Include no columns any longer.")
    private boolean isIncludingNone;

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description = "The conditions that rows are to satisfy; default: those that they do.")
    private List<ColumnCondition> conditions;

    @Option(names = "--where-any", description = "Index all rows, without a condition.")
    private boolean isOfAnyRow;

    @Option(
            names = "--split-points",
            paramLabel = "VALUE",
            split = ",",
            description =
                    "Values of the first column at which the new index table is split; default: those that it has,"
                            + " or, if it gets another first column, by a sample of the rows.")
    private List<String> splitPoints;

    @Option(
            names = "--protected-cells",
            negatable = true,
            description =
                    "Index cells with an ACL or a visibility label of their own, too, or no longer; default: as it"
                            + " does.")
    private Boolean protectedCells;

    @Option(
            names = "--index-format",
            paramLabel = "N",
            description = "The new format of the definition and the entries, from " + IndexFormat.FIRST
                    + "; default: that which it has, or the first that has what the new columns use.")
    private Integer format;

    /** Returns whether one of the options is given. */
    boolean areGiven() {
        return columns != null
                || included != null
                || isIncludingNone
                || conditions != null
                || isOfAnyRow
                || splitPoints != null
                || protectedCells != null
                || format != null;
    }

    /**
     * Returns the index as it is wanted.
     *
     * @param present the index as it is
     * @throws IllegalArgumentException if an option does not fit the others; the message says which
     */
    IndexDefinition wanted(IndexDefinition present) {
        IndexDefinition.Builder wanted =
                IndexDefinition.builder(present.table(), present.logicalName()).scheme(present.scheme());
        int wantedFormat = format == null ? present.format() : format;
        if (format != null || wantedFormat > IndexFormat.FIRST) {
            wanted.format(wantedFormat);
        }
        List<IndexedColumn> key = columns == null ? present.keyColumns() : columns.list();
        key.forEach(wanted::column);
        wantedIncluded(present).forEach(wanted::include);
        wantedConditions(present).forEach(wanted::where);
        if (protectedCells == null ? present.indexesProtectedCells() : protectedCells) {
            wanted.indexProtectedCells();
        }
        if (splitPoints != null) {
            wanted.splitAt(splitPoints.stream()
                    .map(text -> ColumnValues.parse(key.get(0), text))
                    .toArray());
        } else if (key.get(0).equals(present.keyColumns().get(0))) {
            Arrays.stream(present.splitPoints()).forEach(wanted::splitAtKeys);
        }
        return wanted.build();
    }

    private List<IndexedColumn> wantedIncluded(IndexDefinition present) {
        if (isIncludingNone && included != null) {
            throw new IllegalArgumentException("give --include or --include-none, not both");
        }
        if (isIncludingNone) {
            return List.of();
        }
        return included == null ? present.included().columns() : included.list();
    }

    private List<ColumnCondition> wantedConditions(IndexDefinition present) {
        if (isOfAnyRow && conditions != null) {
            throw new IllegalArgumentException("give --where or --where-any, not both");
        }
        if (isOfAnyRow) {
            return List.of();
        }
        return conditions == null ? present.conditions() : conditions;
    }
}
