package org.diffindex.lab.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** The first rows of the included data set, {@code flights-100k.csv.gz}, ordered by row key. Immutable. */
final class Flights {
    /** The number of rows of the data set. */
    static final int SHIPPED = 100_000;

    private static final String RESOURCE = "flights-100k.csv.gz";

    private final List<Flight> rows;

    private Flights(List<Flight> rows) {
        this.rows = rows;
    }

    /** Reads the first rows, at most {@link #SHIPPED}. */
    static Flights first(int count) throws IOException {
        try (InputStream resource = Flights.class.getResourceAsStream(RESOURCE);
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            return new Flights(
                    lines.lines().skip(1).limit(count).map(Flights::flight).toList());
        }
    }

    /** Parses one line of the file, which has no quotes. */
    private static Flight flight(String line) {
        String[] fields = line.split(",", -1);
        return new Flight(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]);
    }

    List<Flight> rows() {
        return rows;
    }

    int size() {
        return rows.size();
    }

    Flight get(int i) {
        return rows.get(i);
    }

    /** Returns row keys that divide the flights into {@code parts} nearly equal parts. */
    List<String> idSplits(int parts) {
        return splits(Flight::id, parts);
    }

    /** Returns airports that divide the flights, sorted by origin, into at most {@code parts} similar parts. */
    List<String> originSplits(int parts) {
        return splits(Flight::origin, parts);
    }

    private List<String> splits(Function<Flight, String> key, int parts) {
        List<String> keys = rows.stream().map(key).sorted().toList();
        List<String> splits = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            splits.add(keys.get(i * keys.size() / parts));
        }
        return splits.stream().distinct().toList();
    }

    /** Returns the day with the most departures from an airport; the earliest such day if there are several. */
    String busiestDay(String airport) {
        Map<String, Long> perDay = rows.stream()
                .filter(flight -> flight.origin().equals(airport))
                .collect(Collectors.groupingBy(Flight::day, TreeMap::new, Collectors.counting()));
        return perDay.entrySet().stream()
                .max(Map.Entry.<String, Long>comparingByValue()
                        .thenComparing(Map.Entry::getKey, Comparator.reverseOrder()))
                .orElseThrow(() -> new IllegalArgumentException("No flight leaves from " + airport))
                .getKey();
    }

    /** Returns the airport with the median number of departures. */
    String middlingAirport() {
        Map<String, Long> perAirport =
                rows.stream().collect(Collectors.groupingBy(Flight::origin, TreeMap::new, Collectors.counting()));
        List<String> airports = perAirport.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .toList();
        return airports.get(airports.size() / 2);
    }
}
