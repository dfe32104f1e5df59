package org.diffindex.model;

import java.util.Locale;

/**
 * The part that a definition plays for the index of its {@linkplain IndexDefinition#logicalName name}. Writes maintain every
 * defined generation of an index in the same way; readers use the one that is {@link #IN_SERVICE}. A base table defines at most
 * one generation of an index that is in service, and at most one shadow.
 */
public enum IndexRole {
    /** Readers use it. */
    IN_SERVICE,

    /** It is built to replace the one in service; nobody reads it yet. */
    SHADOW,

    /** It was replaced, and is to be dropped. Readers that know no later definition use it until its drop has begun. */
    RETIRED;

    /** Returns the name of the role in a definition. */
    String roleName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the role of a name.
     *
     * @throws IllegalArgumentException if there is no such role
     */
    static IndexRole ofName(String name) {
        for (IndexRole role : values()) {
            if (role.roleName().equals(name)) {
                return role;
            }
        }
        throw new IllegalArgumentException("there is no role '" + name + "' of an index");
    }
}
