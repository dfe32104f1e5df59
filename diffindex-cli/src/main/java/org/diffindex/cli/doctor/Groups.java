package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.diffindex.client.ServerInspection;

/** Groups the servers that answered by a part of their answers. */
final class Groups {
    private static final int MOST_NAMES = 5;

    private Groups() {}

    /** Returns the short names of the servers, by that part of their answers. */
    static Map<String, List<String>> by(List<ServerView> servers, Function<ServerInspection, String> said) {
        Map<String, List<String>> groups = new TreeMap<>();
        for (ServerView server : servers) {
            server.inspection()
                    .ifPresent(inspection -> groups.computeIfAbsent(said.apply(inspection), key -> new ArrayList<>())
                            .add(server.shortName()));
        }
        return groups;
    }

    /** Returns all names, or the first few and the number of the others. */
    static String names(List<String> names) {
        int more = names.size() - MOST_NAMES;
        return more <= 0
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MOST_NAMES)) + " and " + more + " more";
    }

    /** Returns each value with its servers: {@code 17 on rs1:1, rs2:1; 21 on rs3:1}. */
    static String text(Map<String, List<String>> groups) {
        return String.join(
                "; ",
                groups.entrySet().stream()
                        .map(group -> group.getKey() + " on " + names(group.getValue()))
                        .toList());
    }
}
