package org.diffindex.lab.bench.rivals;

import java.util.List;
import java.util.ServiceLoader;

/** Finds the systems on the class path that {@code diffindex bench --against} can measure. */
public final class Rivals {
    /** The command that builds the comparison with Phoenix, in a checkout. */
    static final String BUILD = "mvn -Pphoenix -DskipTests -pl phoenix-comparison -am package";

    private Rivals() {}

    /**
     * Returns the system of that name.
     *
     * @throws IllegalArgumentException if none on the class path has it; the message says how to build that of Phoenix
     */
    public static Rival named(String name) {
        List<Rival> all = ServiceLoader.load(Rival.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return all.stream()
                .filter(rival -> rival.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--against " + name
                        + " needs a comparison that is not built, or older than its sources (built are: " + names(all)
                        + "); build that of phoenix in the checkout of this command with: " + BUILD));
    }

    private static String names(List<Rival> rivals) {
        return rivals.isEmpty()
                ? "none"
                : String.join(", ", rivals.stream().map(Rival::name).toList());
    }
}
