package org.diffindex.mapreduce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.reflect.TypeToken;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.Difference;
import org.diffindex.verify.FoundDifference;
import org.diffindex.verify.ScrubReport;

/** Adds up the reports of mappers, each of which travels as one line of JSON. */
final class PartReports {
    private static final Gson GSON = new Gson();

    private final IndexDefinition index;
    private final int samplesOfEach;
    private final Map<Difference, Long> found = new EnumMap<>(Difference.class);
    private final Map<Difference, Long> repaired = new EnumMap<>(Difference.class);
    private final Map<Difference, Integer> kept = new EnumMap<>(Difference.class);
    private final List<FoundDifference> samples = new ArrayList<>();
    private long rows;
    private long entries;
    private long unsettled;

    /** One report without the index and the time. A class, since Gson reads no records. */
    private static final class Part {
        private long rows;
        private long entries;
        private long unsettled;
        private Map<String, Long> found;
        private Map<String, Long> repaired;
        private List<List<String>> samples;
    }

    PartReports(IndexDefinition index, int samplesOfEach) {
        this.index = index;
        this.samplesOfEach = samplesOfEach;
    }

    static String toJson(ScrubReport report) {
        Part part = new Part();
        part.rows = report.rows();
        part.entries = report.entries();
        part.unsettled = report.unsettled();
        part.found = byName(report.found());
        part.repaired = byName(report.repaired());
        part.samples = report.samples().stream()
                .map(sample -> List.of(sample.difference().name(), sample.row(), sample.entry(), sample.expected()))
                .toList();
        return GSON.toJson(part);
    }

    private static Map<String, Long> byName(Map<Difference, Long> counts) {
        Map<String, Long> named = new TreeMap<>();
        counts.forEach((difference, count) -> named.put(difference.name(), count));
        return named;
    }

    void add(String json) {
        Part part = GSON.fromJson(json, new TypeToken<Part>() {}.getType());
        rows += part.rows;
        entries += part.entries;
        unsettled += part.unsettled;
        part.found.forEach((difference, count) -> found.merge(Difference.valueOf(difference), count, Long::sum));
        part.repaired.forEach((difference, count) -> repaired.merge(Difference.valueOf(difference), count, Long::sum));
        for (List<String> sample : part.samples) {
            Difference difference = Difference.valueOf(sample.get(0));
            if (kept.merge(difference, 1, Integer::sum) <= samplesOfEach) {
                samples.add(new FoundDifference(difference, sample.get(1), sample.get(2), sample.get(3)));
            }
        }
    }

    ScrubReport sum(Duration time) {
        return new ScrubReport(index, rows, entries, found, repaired, unsettled, samples, time);
    }
}
