package org.diffindex.server.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.util.ClassSize;

/**
 * The objects that are reachable from others, and their heap size as estimated by {@link ClassSize}, which does not
 * depend on when the collector runs. Objects behind a {@link Reference}, a class, a class loader or a thread are not
 * counted.
 */
public final class ObjectGraph {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Class<?>, List<FieldReader>> references = new HashMap<>();
    private final Map<Class<?>, Long> sizes = new HashMap<>();
    private final Map<String, Long> bytesByClass = new TreeMap<>();

    /** Adds objects and what they refer to. Returns the bytes of those that were not in the graph yet. */
    public long add(Collection<?> roots) {
        return addWithout(roots, object -> false);
    }

    /**
     * Adds objects and what they refer to.
     *
     * @param boundary matches objects that are left out, with everything that is reachable only through them
     */
    public long addWithout(Collection<?> roots, Predicate<Object> boundary) {
        bytesByClass.clear();
        long bytes = 0;
        Deque<Object> open = new ArrayDeque<>();
        roots.forEach(root -> enter(root, boundary, open));
        while (!open.isEmpty()) {
            Object object = open.pop();
            long size = sizeOf(object);
            bytes += size;
            bytesByClass.merge(object.getClass().getTypeName(), size, Long::sum);
            follow(object, boundary, open);
        }
        return bytes;
    }

    /** Returns the bytes of the last addition, by class name. */
    public Map<String, Long> bytesByClass() {
        return bytesByClass;
    }

    private void enter(Object object, Predicate<Object> boundary, Deque<Object> open) {
        boolean counts = object != null
                && !(object instanceof Class || object instanceof ClassLoader || object instanceof Thread)
                && !(object instanceof MethodType || object instanceof MethodHandles.Lookup);
        if (counts && !boundary.test(object) && seen.add(object)) {
            open.push(object);
        }
    }

    private void follow(Object object, Predicate<Object> boundary, Deque<Object> open) {
        if (object instanceof Object[] array) {
            for (Object each : array) {
                enter(each, boundary, open);
            }
        } else if (!object.getClass().isArray()) {
            for (FieldReader field : references.computeIfAbsent(object.getClass(), ObjectGraph::referencesOf)) {
                enter(field.of(object), boundary, open);
            }
        }
    }

    private static List<FieldReader> referencesOf(Class<?> type) {
        List<FieldReader> fields = new ArrayList<>();
        for (Class<?> each = type; each != null && each != Reference.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    fields.add(new FieldReader(field));
                }
            }
        }
        return fields;
    }

    private long sizeOf(Object object) {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            return ClassSize.align(
                    (long) ClassSize.ARRAY + (long) Array.getLength(object) * widthOf(type.getComponentType()));
        }
        return sizes.computeIfAbsent(type, ObjectGraph::fieldsOf);
    }

    private static long fieldsOf(Class<?> type) {
        long bytes = ClassSize.OBJECT;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    bytes += widthOf(field.getType());
                }
            }
        }
        return ClassSize.align(bytes);
    }

    private static int widthOf(Class<?> type) {
        if (!type.isPrimitive()) {
            return ClassSize.REFERENCE;
        }
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == int.class || type == float.class) {
            return Integer.BYTES;
        }
        return type == short.class || type == char.class ? Short.BYTES : Byte.BYTES;
    }

    /** Reads a reference field of a class, including classes of the JDK whose packages are not open. */
    private static final class FieldReader {
        private static final Object UNSAFE;
        private static final Method OFFSET;
        private static final Method GET;

        static {
            try {
                Class<?> type = Class.forName("sun.misc.Unsafe"); // by name, because the compiler warns of it
                Field instance = type.getDeclaredField("theUnsafe");
                instance.setAccessible(true);
                UNSAFE = instance.get(null);
                OFFSET = type.getMethod("objectFieldOffset", Field.class);
                GET = type.getMethod("getObject", Object.class, long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Field field;

        /** The field's offset; null if the field can be read by reflection. */
        private final Object offset;

        FieldReader(Field field) {
            this.field = field;
            try {
                this.offset = field.trySetAccessible() ? null : OFFSET.invoke(UNSAFE, field);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Cannot read " + field, e);
            }
        }

        Object of(Object object) {
            try {
                return offset == null ? field.get(object) : GET.invoke(UNSAFE, object, offset);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Cannot read " + field, e);
            }
        }
    }
}
