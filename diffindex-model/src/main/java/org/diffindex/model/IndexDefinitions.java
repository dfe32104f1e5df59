package org.diffindex.model;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Reads and writes index definitions in table descriptors. A base table's descriptor holds one value per index, under
 * {@code diffindex.index.NAME}, as JSON: {@code {"format": 1, "columns": ["f:origin:string"], "scheme": "sync-full",
 * "splits": [BASE64], "id": "5f3a9c01"}}, with {@code "protected": true} if cells with ACLs or visibility labels are
 * indexed, and {@code "role": "shadow"} or {@code "retired"} if readers do not use it ({@link IndexRole}); NAME is that of a
 * {@linkplain GenerationName generation}. A definition of a later {@linkplain IndexFormat format} is not loaded. An index table's descriptor names its
 * base table under {@code diffindex.base} and holds its index's id under {@code diffindex.id} and its {@linkplain
 * IndexState state} under {@code diffindex.state}; {@code diffindex.state.change} counts the changes of the state, and
 * distinguishes them: a decimal number, a point, and a hexadecimal number drawn at random. {@code diffindex.problem}
 * tells why an index is BROKEN, and {@code diffindex.definition} keeps the definition of one that is DISABLED or
 * {@linkplain Rebuild rebuilt}, in the same form as the base table's descriptor. {@code diffindex.scheme} holds the
 * {@link SchemeState} of an index whose scheme was changed.
 *
 * <p>{@code diffindex.revision} identifies the state of a table's definitions. {@link #with} and {@link #without}
 * replace it by the next one. The master accepts changed definitions only if their revision {@linkplain #isNextOf
 * follows} the table's, and only if nothing else in the descriptor changes, so that a stale descriptor cannot undo a
 * change. {@link Revisions} draws them.
 */
public final class IndexDefinitions {
    private static final String PREFIX = "diffindex.index.";
    private static final String BASE = "diffindex.base";
    private static final String ID = "diffindex.id";
    static final String STATE = "diffindex.state";
    private static final String STATE_CHANGE = "diffindex.state.change";
    private static final String PROBLEM = "diffindex.problem";
    private static final String KEPT = "diffindex.definition";
    private static final String SCHEME = "diffindex.scheme";
    private static final String REVISION = "diffindex.revision";

    private IndexDefinitions() {}

    /**
     * Returns the indexes of a table, sorted by name.
     *
     * @throws IllegalArgumentException if a definition cannot be parsed; the message names it
     */
    public static Map<String, IndexDefinition> of(TableDescriptor descriptor) {
        Map<String, IndexDefinition> definitions = new TreeMap<>();
        texts(descriptor)
                .forEach((name, json) ->
                        definitions.put(name, DefinitionJson.parse(descriptor.getTableName(), name, json)));
        return definitions;
    }

    /**
     * Returns the definitions of a table's indexes as the descriptor holds them, sorted by name, including definitions
     * that cannot be parsed.
     */
    public static Map<String, String> texts(TableDescriptor descriptor) {
        Map<String, String> texts = new TreeMap<>();
        descriptor.getValues().forEach((key, value) -> {
            String keyText = Bytes.toString(key.get(), key.getOffset(), key.getLength());
            if (keyText.startsWith(PREFIX)) {
                String json = Bytes.toString(value.get(), value.getOffset(), value.getLength());
                texts.put(keyText.substring(PREFIX.length()), json);
            }
        });
        return texts;
    }

    /** Returns the role that a definition, as returned by {@link #texts}, names; of which other parts may be broken. */
    public static IndexRole roleOf(String definition) {
        return DefinitionJson.roleOf(definition);
    }

    /** Returns whether the table has an index, including one whose definition cannot be parsed. */
    public static boolean definesAny(TableDescriptor descriptor) {
        return !texts(descriptor).isEmpty();
    }

    /** Returns whether the table has the index of that name and id, including one whose definition cannot be parsed. */
    public static boolean defines(TableDescriptor descriptor, String name, String id) {
        return Optional.ofNullable(texts(descriptor).get(name))
                .flatMap(definition -> DefinitionJson.memberOf(definition, "id"))
                .filter(id::equals)
                .isPresent();
    }

    /** Returns a descriptor of the next revision that holds the definition, replacing one of the same name. */
    public static TableDescriptor with(TableDescriptor descriptor, IndexDefinition definition) {
        return withAll(descriptor, List.of(definition));
    }

    /** Returns a descriptor of the next revision that holds the definitions, replacing those of the same names. */
    public static TableDescriptor withAll(TableDescriptor descriptor, Collection<IndexDefinition> definitions) {
        TableDescriptorBuilder defined = TableDescriptorBuilder.newBuilder(descriptor);
        definitions.forEach(definition -> defined.setValue(PREFIX + definition.name(), DefinitionJson.of(definition)));
        return withRevision(defined.build(), Revisions.next(revisionOf(descriptor)));
    }

    /**
     * Returns whether the revision of a descriptor is a next one of another's: its count is one above and its series the
     * same, or it is a first one if the other has none.
     */
    public static boolean isNextOf(TableDescriptor current, TableDescriptor changed) {
        return Revisions.isNext(revisionOf(current), revisionOf(changed));
    }

    /**
     * Returns a descriptor of the next revision without the definition of that name; the same descriptor if it has no
     * such definition.
     */
    public static TableDescriptor without(TableDescriptor descriptor, String name) {
        return withoutAll(descriptor, List.of(name));
    }

    /**
     * Returns a descriptor of the next revision without the definitions of those names; the same descriptor if it has none
     * of them.
     */
    public static TableDescriptor withoutAll(TableDescriptor descriptor, Collection<String> names) {
        if (Collections.disjoint(texts(descriptor).keySet(), names)) {
            return descriptor;
        }
        TableDescriptorBuilder removed = TableDescriptorBuilder.newBuilder(descriptor);
        names.forEach(name -> removed.removeValue(Bytes.toBytes(PREFIX + name)));
        return withRevision(removed.build(), Revisions.next(revisionOf(descriptor)));
    }

    /**
     * Returns the revision of the definitions of a base table's indexes; 0 if the table has no index, and has not had one
     * whose revision is left, or if the value is not a number, which only a change by hand can cause.
     */
    public static long revisionOf(TableDescriptor descriptor) {
        String revision = descriptor.getValue(REVISION);
        try {
            return revision == null ? 0 : Long.parseLong(revision);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the descriptor with that revision; the same descriptor if it already has it. */
    public static TableDescriptor withRevision(TableDescriptor descriptor, long revision) {
        if (revision == revisionOf(descriptor)) {
            return descriptor;
        }
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(descriptor);
        return revision == 0
                ? builder.removeValue(Bytes.toBytes(REVISION)).build()
                : builder.setValue(REVISION, Long.toString(revision)).build();
    }

    /**
     * Returns a descriptor that asks the master to remove the revision from a table that has no index any more. It has
     * the next revision, which distinguishes it from a descriptor that was read before the first index was created.
     *
     * @param descriptor the table's descriptor, with a revision
     */
    public static TableDescriptor forgettingRevision(TableDescriptor descriptor) {
        return withRevision(descriptor, Revisions.next(revisionOf(descriptor)));
    }

    /** Returns whether a descriptor asks to remove the revision of the current one ({@link #forgettingRevision}). */
    public static boolean forgetsRevision(TableDescriptor current, TableDescriptor changed) {
        return revisionOf(current) != 0 && isNextOf(current, changed) && !definesAny(current) && !definesAny(changed);
    }

    /** Returns the descriptor without definitions and without a revision. */
    public static TableDescriptor withoutAny(TableDescriptor descriptor) {
        TableDescriptorBuilder builder =
                TableDescriptorBuilder.newBuilder(descriptor).removeValue(Bytes.toBytes(REVISION));
        texts(descriptor).keySet().forEach(name -> builder.removeValue(Bytes.toBytes(PREFIX + name)));
        return builder.build();
    }

    /** Returns a descriptor with the definitions of another one of the same table, and no others, as their next revision. */
    public static TableDescriptor withDefinitionsOf(TableDescriptor descriptor, TableDescriptor defining) {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(withoutAny(descriptor));
        texts(defining).forEach((name, definition) -> builder.setValue(PREFIX + name, definition));
        return withRevision(builder.build(), Revisions.next(revisionOf(defining)));
    }

    /** Returns the base table if the descriptor belongs to an index table; empty also if no table can have that name. */
    public static Optional<TableName> baseTableOf(TableDescriptor descriptor) {
        String base = descriptor.getValue(BASE);
        try {
            return base == null ? Optional.empty() : Optional.of(TableName.valueOf(base));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Marks a descriptor as an index table's; returns the same builder. */
    public static TableDescriptorBuilder markIndexTable(TableDescriptorBuilder builder, TableName base) {
        return builder.setValue(BASE, base.getNameAsString());
    }

    /** Marks a descriptor as the table of that index, in that state; returns the same builder. */
    public static TableDescriptorBuilder markIndexTable(
            TableDescriptorBuilder builder, IndexDefinition definition, IndexState state) {
        return markIndexTable(IndexFormat.mark(builder, definition.format()), definition.table())
                .setValue(ID, definition.id())
                .setValue(STATE, state.name());
    }

    /** Returns the id of the index to which this index table belongs; empty if the descriptor has none. */
    public static String indexIdOf(TableDescriptor descriptor) {
        return Optional.ofNullable(descriptor.getValue(ID)).orElse("");
    }

    /**
     * Returns the descriptor of an index table with a state. It always differs from the present one, in a value drawn at
     * random: that the stored descriptor has a state does not mean that all regions have been opened with it, and HBase
     * has opened them when it has changed the descriptor again. A kept definition stays until the index is ACTIVE or
     * DROPPING; what is said of the schemes, only while it is ACTIVE: it is built anew after that. An order to {@linkplain
     * Rebuild rebuild} the index does not stay.
     */
    public static TableDescriptor withState(TableDescriptor indexTable, IndexState state) {
        TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(
                        withChange(indexTable, changesOf(indexTable) + 1))
                .setValue(STATE, state.name())
                .removeValue(Bytes.toBytes(PROBLEM))
                .removeValue(Bytes.toBytes(Rebuild.DUE));
        if (state == IndexState.ACTIVE || state == IndexState.DROPPING) {
            changed.removeValue(Bytes.toBytes(KEPT));
        }
        if (state != IndexState.ACTIVE) {
            changed.removeValue(Bytes.toBytes(SCHEME));
        }
        return changed.build();
    }

    /** Returns how often the state has changed; 0 also if the value is not one of these, but from an earlier version. */
    private static long changesOf(TableDescriptor indexTable) {
        String change = lastChangeOf(indexTable);
        try {
            return Long.parseLong(change.substring(0, Math.max(0, change.indexOf('.'))));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the descriptor of the table of an index that is BROKEN, for a reason. */
    public static TableDescriptor broken(TableDescriptor indexTable, String problem) {
        return TableDescriptorBuilder.newBuilder(withState(indexTable, IndexState.BROKEN))
                .setValue(PROBLEM, problem)
                .build();
    }

    /** Returns why the index to which this table belongs is BROKEN; empty if it is not. */
    public static Optional<String> problemOf(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getValue(PROBLEM));
    }

    /**
     * Returns the descriptor of the table of an index that is DISABLED.
     *
     * @param definition as returned by {@link #texts}
     */
    public static TableDescriptor disabled(TableDescriptor indexTable, String definition) {
        return keeping(withState(indexTable, IndexState.DISABLED), definition);
    }

    /** Returns the descriptor of an index table that keeps a definition. */
    static TableDescriptor keeping(TableDescriptor indexTable, String definition) {
        return TableDescriptorBuilder.newBuilder(indexTable)
                .setValue(KEPT, definition)
                .build();
    }

    /**
     * Returns the descriptor of the table of an index that is DISABLED, under another id: what servers hold for the index of
     * before is refused by the table's regions once they are open with it.
     */
    public static TableDescriptor renewed(TableDescriptor indexTable, String newId) {
        return identified(withState(indexTable, IndexState.DISABLED), newId);
    }

    /** Returns the descriptor of an index table with an id. */
    static TableDescriptor identified(TableDescriptor indexTable, String id) {
        return TableDescriptorBuilder.newBuilder(indexTable).setValue(ID, id).build();
    }

    /**
     * Returns the name of the index to which an index table belongs, by the table's name; empty if it is not the name of a
     * table of an index of its base table.
     */
    public static Optional<String> indexNameOf(TableDescriptor indexTable) {
        String own = indexTable.getTableName().getQualifierAsString();
        return baseTableOf(indexTable)
                .map(base -> base.getQualifierAsString() + ".")
                .filter(own::startsWith)
                .map(prefix -> own.substring(prefix.length()));
    }

    /**
     * Returns the definition, in the form of {@link #texts}, that the table of a DISABLED index keeps, or that of one which
     * is enabled or rebuilt, until it is ACTIVE; else empty.
     */
    public static Optional<String> keptIn(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getValue(KEPT));
    }

    /**
     * Returns what an index table says of the schemes of its index; empty if the scheme has never changed since the index was
     * built.
     *
     * @throws UnknownSchemesException if a later build has written the value
     * @throws IllegalArgumentException if the value cannot be parsed, which only a change by hand can cause
     */
    public static Optional<SchemeState> schemeStateOf(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getValue(SCHEME)).map(SchemeState::parse);
    }

    /** Returns the descriptor of the table of an index that is ACTIVE, with what it says of the schemes. */
    public static TableDescriptor withSchemeState(TableDescriptor indexTable, SchemeState schemes) {
        return TableDescriptorBuilder.newBuilder(withState(indexTable, IndexState.ACTIVE))
                .setValue(SCHEME, schemes.toText())
                .build();
    }

    /** Returns whether two descriptors of an index table say the same of the schemes of the index. */
    public static boolean haveSameSchemeState(TableDescriptor one, TableDescriptor other) {
        return Objects.equals(one.getValue(SCHEME), other.getValue(SCHEME));
    }

    /**
     * Returns a descriptor that repeats the last change of another one, of a base table or an index table: it says the same, as
     * the next revision or the next change of the state. HBase opens all regions with it, and the master refuses it, like any
     * change of definitions or of a state, if anything else of the table has been changed meanwhile.
     */
    public static TableDescriptor again(TableDescriptor stored) {
        return baseTableOf(stored).isPresent()
                ? withChange(stored, changesOf(stored) + 1)
                : withRevision(stored, Revisions.next(revisionOf(stored)));
    }

    /**
     * Returns a descriptor of the same change as another one that may have been stored, or not: the master refuses it once that one
     * is stored.
     */
    public static TableDescriptor redrawn(TableDescriptor changed) {
        if (baseTableOf(changed).isPresent()) {
            return withChange(changed, changesOf(changed));
        }
        return withRevision(changed, Revisions.redrawn(revisionOf(changed)));
    }

    /** Returns whether the last change of the state is the same in two descriptors of an index table. */
    public static boolean haveSameChange(TableDescriptor one, TableDescriptor other) {
        return !lastChangeOf(one).isEmpty() && lastChangeOf(one).equals(lastChangeOf(other));
    }

    /** Returns the descriptor of an index table whose state has changed that often. */
    private static TableDescriptor withChange(TableDescriptor indexTable, long changes) {
        String drawn = Long.toHexString(ThreadLocalRandom.current().nextLong());
        return TableDescriptorBuilder.newBuilder(indexTable)
                .setValue(STATE_CHANGE, changes + "." + drawn)
                .build();
    }

    /** Returns whether a descriptor of an index table results from another one by a change of the state. */
    public static boolean changesState(TableDescriptor current, TableDescriptor changed) {
        return stateOf(current) != stateOf(changed)
                || !Objects.equals(current.getValue(STATE_CHANGE), changed.getValue(STATE_CHANGE));
    }

    /** Returns what distinguishes the last change of the state from all others; empty if it was never changed. */
    static String lastChangeOf(TableDescriptor indexTable) {
        return Optional.ofNullable(indexTable.getValue(STATE_CHANGE)).orElse("");
    }

    /** Returns whether the state of a descriptor of an index table was made from the current one's, and from no earlier one. */
    public static boolean isNextState(TableDescriptor current, TableDescriptor changed) {
        return changesOf(changed) == changesOf(current) + 1;
    }

    /** Returns whether two descriptors of an index table are the same but for the state. */
    public static boolean differOnlyInState(TableDescriptor one, TableDescriptor other) {
        return withoutState(one).equals(withoutState(other));
    }

    private static TableDescriptor withoutState(TableDescriptor indexTable) {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(indexTable);
        List.of(STATE, STATE_CHANGE, PROBLEM, KEPT, SCHEME, Rebuild.DUE)
                .forEach(value -> builder.removeValue(Bytes.toBytes(value)));
        return builder.build();
    }

    /**
     * Returns the state of the index to which this index table belongs; {@link IndexState#BUILDING}, in which it is not
     * read, if the descriptor names none that this version knows.
     */
    public static IndexState stateOf(TableDescriptor indexTable) {
        String state = indexTable.getValue(STATE);
        return Stream.of(IndexState.values())
                .filter(known -> known.name().equals(state))
                .findFirst()
                .orElse(IndexState.BUILDING);
    }

    /** Returns whether the drop of the index to which this index table belongs has begun. */
    public static boolean isDropping(TableDescriptor indexTable) {
        return stateOf(indexTable) == IndexState.DROPPING;
    }

    /**
     * Parses a definition as returned by {@link #texts}.
     *
     * @throws IllegalArgumentException if it cannot be parsed; the message names it
     */
    public static IndexDefinition parse(TableName table, String name, String text) {
        return DefinitionJson.parse(table, name, text);
    }
}
