package org.diffindex.cli;

import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts arguments of the command line to tables, schemes and columns; an invalid one is wrong usage. */
final class Arguments {
    private Arguments() {}

    /** Columns of an index, in the order of its key or of what it includes. */
    record Columns(List<IndexedColumn> list) {
        static final Columns NONE = new Columns(List.of());

        Columns {
            list = List.copyOf(list);
        }
    }

    static CommandLine register(CommandLine command) {
        return command.registerConverter(TableName.class, reading(TableName::valueOf))
                .registerConverter(IndexScheme.class, reading(IndexScheme::ofName))
                .registerConverter(ColumnCondition.class, reading(ColumnCondition::parse))
                .registerConverter(Columns.class, reading(text -> new Columns(IndexedColumn.parseList(text))));
    }

    /** Returns a converter whose error message is the reader's own, without the name of a Java class. */
    private static <T> ITypeConverter<T> reading(ITypeConverter<T> reader) {
        return text -> {
            try {
                return reader.convert(text);
            } catch (IllegalArgumentException e) {
                TypeConversionException wrong = new TypeConversionException(e.getMessage());
                wrong.initCause(e);
                throw wrong;
            }
        };
    }
}
