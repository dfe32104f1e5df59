package org.diffindex.tasks;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;

/**
 * The steps of a change of an index's scheme that change descriptors ({@link SchemeState} describes their order). Each step is
 * a compare-and-set; it returns when every region of the table has been opened with what it has stored. A step fails with a
 * {@link SchemeChangeEndedException} if the index was disabled or dropped meanwhile, or if another change has begun, which takes
 * the place of this one.
 */
public final class SchemeSteps {
    private final Admin admin;
    private final IndexDefinition index;

    /**
     * Creates the steps of a change.
     *
     * @param index the index as its base table defines it
     */
    public SchemeSteps(Admin admin, IndexDefinition index) {
        this.admin = admin;
        this.index = index;
    }

    /**
     * Returns what the index table says of the schemes now; empty if the scheme was never changed.
     *
     * @throws IllegalArgumentException if that cannot be parsed
     */
    public Optional<SchemeState> present() throws IOException {
        return IndexDefinitions.schemeStateOf(admin.getDescriptor(index.indexTable()));
    }

    /**
     * Begins a change. When this returns, every reader reads as the more careful of both schemes demands, and relies on what
     * both promise.
     */
    public SchemeState begin(IndexScheme next) throws IOException {
        String change = Long.toHexString(ThreadLocalRandom.current().nextLong());
        return IndexStates.changeSchemes(
                        admin,
                        index.indexTable(),
                        index.id(),
                        present -> Optional.of(SchemeState.begin(present, index.scheme(), next, change)))
                .orElseThrow(() -> new DoNotRetryIOException(
                        named() + " is not ACTIVE any more; nothing was changed; list the indexes of the table"));
    }

    /** Replaces the definition in the base table. When this returns, every write maintains the index by the new scheme. */
    public void define(SchemeState begun) throws IOException {
        boolean isDefined;
        do {
            isDefined = isDefined(begun);
        } while (!isDefined);
    }

    /**
     * Replaces the definition in the table as it is now, or waits for its regions if it was replaced already; returns false if
     * another client has changed the table meanwhile.
     */
    private boolean isDefined(SchemeState begun) throws IOException {
        TableDescriptor base = admin.getDescriptor(index.table());
        String text = IndexDefinitions.texts(base).get(index.name());
        IndexDefinition defined = text == null ? null : IndexDefinitions.parse(index.table(), index.name(), text);
        if (defined == null || !defined.id().equals(index.id())) {
            throw goneOn(begun);
        }
        IndexDefinition changed = defined.withScheme(begun.next().orElseThrow()).withChange(begun.change());
        boolean isReplaced = defined.equals(changed) && defined.change().equals(changed.change());
        try {
            return DescriptorChange.isMade(
                    admin, base, isReplaced ? IndexDefinitions.again(base) : IndexDefinitions.with(base, changed));
        } catch (DoNotRetryIOException e) {
            if (!isUnderWay(begun)) {
                throw goneOn(begun);
            }
            throw e;
        }
    }

    private boolean isUnderWay(SchemeState begun) throws IOException {
        return DescriptorChange.find(admin, index.indexTable())
                .filter(own -> IndexDefinitions.indexIdOf(own).equals(index.id())
                        && IndexDefinitions.stateOf(own) == IndexState.ACTIVE)
                .flatMap(IndexDefinitions::schemeStateOf)
                .filter(state -> state.isUnderWay(begun.change()))
                .isPresent();
    }

    /** Makes the regions of the index table refuse writes that were sent before every region had the new definition. */
    public void fence(SchemeState begun) throws IOException {
        step(begun, SchemeState::fenced);
    }

    /** Completes the change. When this returns, every reader reads as the new scheme demands, and may rely on its promise. */
    public void complete(SchemeState begun) throws IOException {
        step(begun, SchemeState::completed);
    }

    private void step(SchemeState begun, UnaryOperator<SchemeState> step) throws IOException {
        Optional<SchemeState> made =
                IndexStates.changeSchemes(admin, index.indexTable(), index.id(), present -> present.filter(
                                state -> state.isUnderWay(begun.change()))
                        .map(step));
        if (made.isEmpty()) {
            throw goneOn(begun);
        }
    }

    /**
     * Waits until every region of the index table has been opened with the last change, which is complete.
     *
     * @throws SchemeChangeEndedException if the index is not ACTIVE any more, or another change has begun
     */
    public void settle() throws IOException {
        Optional<SchemeState> settled = IndexStates.changeSchemes(
                admin,
                index.indexTable(),
                index.id(),
                present -> present.filter(state -> state.next().isEmpty()));
        if (settled.isEmpty()) {
            throw new SchemeChangeEndedException(
                    named() + " was disabled, rebuilt or dropped meanwhile, or another change of"
                            + " its scheme has begun; describe the index");
        }
    }

    private SchemeChangeEndedException goneOn(SchemeState begun) {
        return new SchemeChangeEndedException("The change of " + named() + " to "
                + begun.next().map(IndexScheme::schemeName).orElse("-")
                + " has ended: the index was disabled, rebuilt or dropped meanwhile, or another change of its scheme has begun"
                + " and takes the place of this one; describe the index");
    }

    private String named() {
        return "Index " + index.name() + " of " + index.table();
    }
}
