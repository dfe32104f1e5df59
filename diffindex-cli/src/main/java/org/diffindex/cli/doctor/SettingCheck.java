package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;

/** Checks one setting of the servers that answered. */
final class SettingCheck implements Check {
    private final String name;
    private final ServerSetting setting;
    private final Predicate<ServerInspection> weakens;
    private final Level level;
    private final String consequence;
    private final String advice;

    /**
     * Creates a check of a setting.
     *
     * @param weakens tells whether a server's setting weakens a promise
     * @param consequence the consequence of such a setting
     * @param advice what to change then
     */
    SettingCheck(
            String name,
            ServerSetting setting,
            Predicate<ServerInspection> weakens,
            Level level,
            String consequence,
            String advice) {
        this.name = name;
        this.setting = setting;
        this.weakens = weakens;
        this.level = level;
        this.consequence = consequence;
        this.advice = advice;
    }

    /** Creates a check of a setting that must not have the given value. */
    static SettingCheck mustNotBe(
            String value, String name, ServerSetting setting, Level level, String consequence, String advice) {
        return new SettingCheck(
                name, setting, server -> server.setting(setting).equalsIgnoreCase(value), level, consequence, advice);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, List<String>> all = Groups.by(cluster.servers(), server -> server.setting(setting));
        if (all.isEmpty()) {
            return List.of();
        }
        List<ServerView> weak = cluster.servers().stream()
                .filter(server -> server.inspection().filter(weakens).isPresent())
                .toList();
        if (weak.isEmpty()) {
            return List.of(Finding.ok(
                    this,
                    setting + " is "
                            + all.keySet().stream().map(SettingCheck::shown).collect(Collectors.joining(" or "))));
        }
        Map<String, List<String>> groups = Groups.by(weak, server -> shown(server.setting(setting)));
        return List.of(new Finding(level, name, setting + " is " + Groups.text(groups) + ": " + consequence, advice));
    }

    private static String shown(String value) {
        return value.isEmpty() ? "empty" : value;
    }
}
