package org.diffindex.model;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the table of an index says of the schemes of the index, once its scheme was changed or is being changed: its regions
 * answer readers and accept writes accordingly. A change has up to four steps, each of which leaves a state that tells what
 * is left to do:
 *
 * <ol>
 *   <li>It {@linkplain #begin begins}: from then on, readers read as the more careful of both schemes demands.
 *   <li>The base table's descriptor gets the definition with the new scheme, and all its regions are opened with it.
 *   <li>If the old scheme left stale entries, writes of the time before the second step are {@linkplain #fenced refused},
 *       and the stale entries are removed. If the new scheme promises more, the updates that the indexes lack are delivered.
 *   <li>It is {@linkplain #completed complete}: readers read as the new scheme demands, and may rely on its promise.
 * </ol>
 *
 * <p>The index may hold stale entries only as long as {@link #readAs} is a scheme that leaves them. Immutable.
 *
 * @param readAs the scheme by which readers must read
 * @param promise the scheme whose promise holds; while a change is under way, the weakest of those that had begun
 * @param next the scheme to which the index is being changed; empty if no change is under way
 * @param change the last change, distinguished from others by a random text
 * @param writers the changes whose writes the regions accept; {@link #NO_CHANGE} stands for the index as it was created
 */
public record SchemeState(
        IndexScheme readAs, IndexScheme promise, Optional<IndexScheme> next, String change, Set<String> writers) {
    private static final Set<String> MEMBERS = Set.of("read", "promise", "next", "change", "writers");

    /** Among the writers: the index as it was before its scheme was changed for the first time. */
    public static final String NO_CHANGE = "0";

    /** Copies the set. */
    public SchemeState {
        writers = Set.copyOf(writers);
    }

    /**
     * Returns the state in which a change has begun.
     *
     * @param current the present state, which may be that of a change under way, whose place this one takes
     * @param defined the scheme that the base table defines, if there is no present state
     * @param change a text that no other change has
     */
    public static SchemeState begin(
            Optional<SchemeState> current, IndexScheme defined, IndexScheme next, String change) {
        IndexScheme read = current.map(SchemeState::readAs).orElse(defined);
        IndexScheme promise = current.map(SchemeState::promise).orElse(defined);
        Set<String> writers = new TreeSet<>(current.map(SchemeState::writers).orElse(Set.of(NO_CHANGE)));
        writers.add(change);
        return new SchemeState(
                careful(read, next), IndexScheme.weaker(promise, next), Optional.of(next), change, writers);
    }

    /** Returns the scheme whose readers are right whichever of two schemes maintains the index. */
    private static IndexScheme careful(IndexScheme one, IndexScheme other) {
        if (one.leavesStaleEntries()) {
            return one;
        }
        return other.leavesStaleEntries() ? other : IndexScheme.weaker(one, other);
    }

    /** Returns the state in which the regions accept only writes of this change. */
    public SchemeState fenced() {
        return new SchemeState(readAs, promise, next, change, Set.of(change));
    }

    /** Returns the state in which this change is complete. */
    public SchemeState completed() {
        IndexScheme reached = next.orElse(readAs);
        return new SchemeState(reached, reached, Optional.empty(), change, Set.of(change));
    }

    /** Returns whether this is the state of a change under way. */
    public boolean isUnderWay(String thisChange) {
        return next.isPresent() && change.equals(thisChange);
    }

    /** Returns whether stale entries have to be removed before the change under way is complete. */
    public boolean needsCleanup() {
        return readAs.leavesStaleEntries()
                && next.filter(scheme -> !scheme.leavesStaleEntries()).isPresent();
    }

    /** Returns whether the updates that the index lacks have to be delivered before the change under way is complete. */
    public boolean needsDrain() {
        return next.filter(promise::promisesLessThan).isPresent();
    }

    /** Returns whether the regions accept a write that names a change, or none. */
    public boolean accepts(String ofChange) {
        return writers.contains(ofChange.isEmpty() ? NO_CHANGE : ofChange);
    }

    /** Returns the state as a descriptor holds it, as JSON. */
    String toText() {
        JsonObject json = new JsonObject();
        json.addProperty("read", readAs.schemeName());
        json.addProperty("promise", promise.schemeName());
        next.ifPresent(scheme -> json.addProperty("next", scheme.schemeName()));
        json.addProperty("change", change);
        JsonArray names = new JsonArray();
        new TreeSet<>(writers).forEach(names::add);
        json.add("writers", names);
        return json.toString();
    }

    /**
     * Parses a state.
     *
     * @throws UnknownSchemesException if it has members that this build does not know, or names such a scheme
     * @throws IllegalArgumentException if it cannot be parsed
     */
    static SchemeState parse(String text) {
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            Set<String> unknown = new TreeSet<>(json.keySet());
            unknown.removeAll(MEMBERS);
            if (!unknown.isEmpty()) {
                throw new UnknownSchemesException("it has the members " + unknown, text);
            }
            Set<String> writers = new TreeSet<>();
            member(json, "writers").getAsJsonArray().forEach(name -> writers.add(name.getAsString()));
            return new SchemeState(
                    scheme(member(json, "read"), text),
                    scheme(member(json, "promise"), text),
                    Optional.ofNullable(json.get("next")).map(next -> scheme(next, text)),
                    member(json, "change").getAsString(),
                    writers);
        } catch (UnknownSchemesException e) {
            throw e;
        } catch (JsonParseException
                | IllegalStateException
                | IllegalArgumentException
                | UnsupportedOperationException e) {
            throw new IllegalArgumentException(
                    "The value diffindex.scheme of the index table is not valid: " + e.getMessage() + " [" + text + "]",
                    e);
        }
    }

    private static IndexScheme scheme(JsonElement name, String text) {
        String scheme = name.getAsString();
        try {
            return IndexScheme.ofName(scheme);
        } catch (IllegalArgumentException e) {
            UnknownSchemesException unknown = new UnknownSchemesException("it names the scheme '" + scheme + "'", text);
            unknown.initCause(e);
            throw unknown;
        }
    }

    private static JsonElement member(JsonObject json, String name) {
        return Optional.ofNullable(json.get(name))
                .orElseThrow(() -> new IllegalArgumentException("it has no \"" + name + "\""));
    }
}
