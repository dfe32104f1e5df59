package org.diffindex.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.diffindex.server.IndexMasterObserver;
import org.diffindex.server.IndexServerEndpoint;

/**
 * The text of an {@code hbase-site.xml}, to which Diff-Index's coprocessors of the servers are added, or from which
 * they are removed. Everything else stays the same to the byte: other coprocessors of the same settings, other
 * settings, comments, the order. Immutable.
 *
 * <p>Understands the form in which Hadoop writes its files: elements without attributes, values without CDATA sections.
 * Before the result is used, the caller checks that Hadoop reads the intended settings from it.
 */
final class SiteSettings {
    /** The class that Diff-Index needs, by setting. */
    static final SortedMap<String, String> COPROCESSORS = Collections.unmodifiableSortedMap(new TreeMap<>(Map.of(
            CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, IndexMasterObserver.class.getName(),
            CoprocessorHost.REGIONSERVER_COPROCESSOR_CONF_KEY, IndexServerEndpoint.class.getName())));

    private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
    private static final Pattern PROPERTY =
            Pattern.compile("[ \\t]*<property\\s*>(.*?)</property\\s*>(?:[ \\t]*\\R)?", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("<name\\s*>\\s*(.*?)\\s*</name\\s*>", Pattern.DOTALL);
    private static final Pattern VALUE = Pattern.compile("<value\\s*>(.*?)</value\\s*>", Pattern.DOTALL);
    private static final Pattern END = Pattern.compile("[ \\t]*</configuration\\s*>");

    private final String text;

    /** The text with each character of a comment replaced by a space. */
    private final String visible;

    SiteSettings(String text) {
        this.text = text;
        this.visible = COMMENT.matcher(text)
                .replaceAll(comment -> " ".repeat(comment.group().length()));
    }

    /** The position of a property, including its line, and of its value. */
    private record Property(int start, int end, int valueStart, int valueEnd) {}

    /** Returns the last property of a name, which is the effective one; null if there is none. */
    private Property find(String name) {
        Property found = null;
        Matcher property = PROPERTY.matcher(visible);
        while (property.find()) {
            Matcher itsName = NAME.matcher(property.group(1));
            Matcher itsValue = VALUE.matcher(property.group(1));
            if (itsName.find() && itsName.group(1).equals(name) && itsValue.find()) {
                int inside = property.start(1);
                found = new Property(
                        property.start(), property.end(), inside + itsValue.start(1), inside + itsValue.end(1));
            }
        }
        return found;
    }

    /**
     * Returns the text with the coprocessors of Diff-Index; this object if it has them.
     *
     * @throws IllegalArgumentException if it has no {@code </configuration>}
     */
    SiteSettings withCoprocessors() {
        SiteSettings changed = this;
        for (Map.Entry<String, String> each : COPROCESSORS.entrySet()) {
            changed = changed.with(each.getKey(), each.getValue());
        }
        return changed;
    }

    private SiteSettings with(String setting, String coprocessor) {
        Property property = find(setting);
        if (property == null) {
            return insert(setting, coprocessor);
        }
        List<String> classes = classesOf(property);
        if (classes.contains(coprocessor)) {
            return this;
        }
        classes.add(coprocessor);
        return replace(property.valueStart, property.valueEnd, String.join(",", classes));
    }

    private SiteSettings insert(String setting, String coprocessor) {
        Matcher end = END.matcher(visible);
        if (!end.find()) {
            throw new IllegalArgumentException("It has no </configuration>");
        }
        return replace(
                end.start(),
                end.start(),
                """
                  <property>
                    <name>%s</name>
                    <value>%s</value>
                  </property>
                """
                        .formatted(setting, coprocessor));
    }

    /** Returns the text without the coprocessors of Diff-Index, and without a setting that then names none. */
    SiteSettings withoutCoprocessors() {
        SiteSettings changed = this;
        for (Map.Entry<String, String> each : COPROCESSORS.entrySet()) {
            changed = changed.without(each.getKey(), each.getValue());
        }
        return changed;
    }

    private SiteSettings without(String setting, String coprocessor) {
        Property property = find(setting);
        if (property == null) {
            return this;
        }
        List<String> classes = classesOf(property);
        if (!classes.remove(coprocessor)) {
            return this;
        }
        return classes.isEmpty()
                ? replace(property.start, property.end, "")
                : replace(property.valueStart, property.valueEnd, String.join(",", classes));
    }

    private List<String> classesOf(Property property) {
        return classesIn(text.substring(property.valueStart, property.valueEnd));
    }

    /** Returns the class names in the value of a setting, in a modifiable list. */
    static List<String> classesIn(String value) {
        return Arrays.stream(value.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private SiteSettings replace(int start, int end, String by) {
        return new SiteSettings(text.substring(0, start) + by + text.substring(end));
    }

    /** Returns the text. */
    @Override
    public String toString() {
        return text;
    }
}
