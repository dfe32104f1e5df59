package org.diffindex.server.sim;

import java.lang.reflect.Proxy;
import java.util.Map;

/** Creates stubs of large interfaces of HBase that implement only some methods. */
public final class Stub {
    private Stub() {}

    /** The answer to a call. */
    @FunctionalInterface
    public interface Answer {
        Object to(Object[] arguments) throws Exception;
    }

    /** Returns a stub that answers the methods of these names, and throws from all others. */
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
