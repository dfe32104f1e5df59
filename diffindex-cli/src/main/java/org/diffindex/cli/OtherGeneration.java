package org.diffindex.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;
import org.diffindex.tasks.Messages;

/**
 * A generation of an index that readers do not use, and that {@code status} names, because it concerns writes or operators: it is
 * behind, so that writes of a synchronous index wait for it, or end delayed; or it is BROKEN. Immutable.
 *
 * @param name the name of the generation, such as {@code by_origin.2}
 * @param scheme its scheme; empty if it is not known
 * @param state its state, for people and machines
 * @param meaning what it is, and what to do, in one line
 */
record OtherGeneration(String name, Optional<IndexScheme> scheme, String state, String meaning) {
    /** Returns those of a table, sorted by name. */
    static List<OtherGeneration> toBeNamed(IndexStatus status) {
        Map<String, ColumnsChangeStatus> shadows = new TreeMap<>();
        status.columnsChanges()
                .values()
                .forEach(change -> shadows.put(change.target().name(), change));
        Map<String, GenerationName> inService = new TreeMap<>();
        Stream.concat(
                        status.indexes().stream().map(IndexDefinition::name),
                        status.unloaded().stream().map(UnloadedIndex::name))
                .map(GenerationName::of)
                .forEach(name -> inService.put(name.index(), name));
        Set<String> others = new TreeSet<>(status.behind().keySet());
        shadows.forEach((name, change) -> {
            if (change.state().equals(Optional.of(IndexState.BROKEN))) {
                others.add(name);
            }
        });
        List<OtherGeneration> named = new ArrayList<>();
        for (String name : others) {
            GenerationName present = inService.get(GenerationName.of(name).index());
            if (shadows.containsKey(name)) {
                named.add(shadow(shadows.get(name)));
            } else if (present != null && !present.toString().equals(name)) {
                named.add(other(status, GenerationName.of(name), present));
            }
        }
        return named;
    }

    private static OtherGeneration shadow(ColumnsChangeStatus change) {
        IndexDefinition shadow = change.target();
        String problem = change.build()
                .flatMap(BuildStatus::problem)
                .map(why -> " Its build has failed: " + Messages.line(why) + ".")
                .orElse("");
        return new OtherGeneration(
                shadow.name(),
                Optional.of(shadow.scheme()),
                change.progress(),
                "is to replace " + shadow.logicalName() + "; every write maintains it." + problem
                        + " Remove the cause, or end the change: alter-index " + shadow.table() + " "
                        + shadow.logicalName() + " --cancel");
    }

    /** Returns what was in service before; or a shadow that this client cannot load. */
    private static OtherGeneration other(IndexStatus status, GenerationName name, GenerationName present) {
        String command = ": alter-index " + status.table() + " " + name.index();
        String meaning = name.compareTo(present) < 0
                ? "is what " + name.index()
                        + " was before its columns were changed; every write maintains it. Remove it" + command
                        + " --remove-former"
                : "is to replace " + name.index() + "; every write maintains it. Remove the cause, or end the change"
                        + command + " --cancel";
        return new OtherGeneration(name.toString(), Optional.empty(), "-", meaning);
    }
}
