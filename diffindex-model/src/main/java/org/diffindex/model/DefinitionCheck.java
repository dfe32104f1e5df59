package org.diffindex.model;

import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.InvalidDefinitionException.Reason;

/** The checks of a definition that need no cluster. Each message names the index and its table. */
final class DefinitionCheck {
    /** The longest name of a new index. A session is told of its changes in cells whose families are index names. */
    static final int MAX_NAME_LENGTH = Byte.MAX_VALUE;

    /** The longest name, in bytes and without the namespace, of the table of a new index: HDFS's limit for a folder. */
    static final int MAX_TABLE_NAME_LENGTH = 255;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

    private final TableName table;
    private final String name;

    /** Creates the checks of the definition of that name. */
    DefinitionCheck(TableName table, String name) {
        this.table = table;
        this.name = name;
    }

    /** Requires a name that a user may give. */
    void requireFirstGeneration() {
        if (!GenerationName.of(name).isFirst()) {
            throw wrongName();
        }
    }

    /** Requires the name of any generation of an index. */
    void requireName() {
        if (!NAME.matcher(GenerationName.of(name).index()).matches()) {
            throw wrongName();
        }
    }

    private IllegalArgumentException wrongName() {
        return new IllegalArgumentException("An index name is made of letters, digits, '_' and '-', and does not"
                + " begin with '-'; '" + name + "' does not fit");
    }

    /** Requires that sessions can be told the name, and that the index table, which is named after it, can exist. */
    void requireShort() {
        if (name.length() > MAX_NAME_LENGTH) {
            throw tooLong("its name", name.length(), MAX_NAME_LENGTH);
        }
        int tableName = IndexDefinition.indexTable(table, name).getQualifier().length;
        if (tableName > MAX_TABLE_NAME_LENGTH) {
            throw tooLong("the name TABLE.INDEX of its table", tableName, MAX_TABLE_NAME_LENGTH);
        }
    }

    private IllegalArgumentException tooLong(String what, int length, int longest) {
        return new IllegalArgumentException("There can be no index " + name + " on " + table + ": " + what + " has "
                + length + " bytes, and " + longest + " are the most; choose a shorter name");
    }

    /** Requires at least one key column, and none twice. */
    void requireKey(List<IndexedColumn> keyColumns) {
        if (keyColumns.isEmpty()) {
            throw new IllegalArgumentException(named() + " has no column; name at least one");
        }
        if (keyColumns.stream().distinct().count() < keyColumns.size()) {
            throw new IllegalArgumentException(named() + " names a column twice");
        }
    }

    /** Requires that what the entries include is not in the key, and nothing twice. */
    void requireIncluded(List<IndexedColumn> included, List<IndexedColumn> keyColumns) {
        if (included.size() > IncludedColumns.MOST_COLUMNS) {
            throw invalid(
                    Reason.TOO_MANY_INCLUDED,
                    "includes " + included.size() + " columns, and " + IncludedColumns.MOST_COLUMNS
                            + " are the most; leave some out");
        }
        for (int i = 0; i < included.size(); i++) {
            IndexedColumn column = included.get(i);
            if (column.isDescending()) {
                throw invalid(
                        Reason.INCLUDED_IN_ORDER,
                        "includes " + column + ", and sorts by the columns of its key alone; leave :desc out");
            }
            if (keyColumns.stream().anyMatch(key -> key.hasCellsOf(column) && !ColumnTypes.isField(key.type()))) {
                throw invalid(
                        Reason.INCLUDED_IN_KEY,
                        "includes " + column + ", which is in its key already; leave it out of one of them");
            }
            if (included.subList(0, i).stream().anyMatch(column::hasCellsOf)) {
                throw invalid(Reason.INCLUDED_TWICE, "includes " + column + " twice; leave it out once");
            }
        }
    }

    /** Requires that a row can satisfy all conditions, and has the columns of the key then. */
    void requireConditions(List<ColumnCondition> conditions, List<IndexedColumn> keyColumns) {
        for (int i = 0; i < conditions.size(); i++) {
            ColumnCondition condition = conditions.get(i);
            if (condition.operator() == ColumnCondition.Operator.ABSENT
                    && keyColumns.stream().anyMatch(condition.column()::hasCellsOf)) {
                throw invalid(
                        Reason.CONTRADICTION,
                        "has no entry of a row without a column of its key, and '" + condition
                                + "' asks for one; leave one of them out");
            }
            for (ColumnCondition other : conditions.subList(0, i)) {
                if (condition.excludes(other)) {
                    throw invalid(
                            Reason.CONTRADICTION,
                            "has conditions that no row satisfies together: '" + other + "' and '" + condition
                                    + "'; leave one of them out");
                }
            }
        }
    }

    private InvalidDefinitionException invalid(Reason reason, String problem) {
        return new InvalidDefinitionException(reason, named() + " " + problem);
    }

    /** Requires a format that this build knows. */
    void requireKnown(int format) {
        if (format < IndexFormat.FIRST || format > IndexFormat.latest()) {
            throw new IllegalArgumentException(named() + " cannot have format " + format
                    + ": this build of Diff-Index knows formats " + IndexFormat.FIRST + " to " + IndexFormat.latest());
        }
    }

    /** Requires a format that has what the definition uses. */
    void requireFormat(int format, int needed) {
        if (format < needed) {
            throw invalid(
                    Reason.FORMAT_TOO_EARLY,
                    "cannot have format " + format + ": descending and included columns and conditions need format "
                            + needed
                            + "; leave the format out, or give that one");
        }
    }

    private String named() {
        return "Index " + name + " on " + table;
    }
}
