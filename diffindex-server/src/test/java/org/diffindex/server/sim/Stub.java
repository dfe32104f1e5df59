package org.diffindex.server.sim;

import java.lang.reflect.Proxy;
import java.util.Map;

/** Makes an object of a large interface of HBase's that answers only the methods that are asked of it. */
public final class Stub {
    private Stub() {}

    /** An answer to a call. */
    @FunctionalInterface
    public interface Answer {
        Object to(Object[] arguments) throws Exception;
    }

    /** An object that answers these methods, by their names, and throws at all others. */
    public static <T> T of(Class<T> type, Map<String, Answer> answers) {
        Object stub =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Answer answer = answers.get(method.getName());
                    if (answer == null) {
                        throw new UnsupportedOperationException(type.getSimpleName() + "." + method.getName());
                    }
                    return answer.to(arguments);
                });
        return type.cast(stub);
    }
}
