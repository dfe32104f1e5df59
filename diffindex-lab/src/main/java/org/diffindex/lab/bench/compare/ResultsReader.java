package org.diffindex.lab.bench.compare;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;

/** Reads a results.json in the format that docs/benchmarks.md describes, and those of earlier builds. */
final class ResultsReader {
    /** The lists of what was run; the figures show them too. */
    private static final Set<String> LISTS = Set.of("experiments", "schemes");

    private ResultsReader() {}

    /**
     * Reads a report. Facts, goals and values that it lacks are absent.
     *
     * @throws IOException if the file cannot be read or is no report; the message names the file and says what is wrong
     */
    static RecordedRun read(Path file) throws IOException {
        JsonPart document = JsonPart.of(parse(file));
        try {
            return new RecordedRun(file, facts(document), goals(document), experiments(document));
        } catch (IOException e) {
            throw new IOException(file + " is not a results.json of diffindex bench: " + e.getMessage(), e);
        }
    }

    private static JsonElement parse(Path file) throws IOException {
        try {
            return JsonParser.parseString(Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new IOException(file + " does not exist; name a results.json, or the folder that has it", e);
        } catch (JsonParseException | CharacterCodingException e) {
            throw new IOException(file + " is not JSON: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e, e);
        }
    }

    private static Map<String, String> facts(JsonPart document) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        for (String part : List.of("machine", "options")) {
            Optional<JsonPart> object = document.member(part);
            if (object.isPresent()) {
                object.get().members().forEach((name, fact) -> facts.put(name, fact.shown()));
            }
        }
        facts.keySet().removeAll(LISTS);
        return facts;
    }

    private static List<RecordedGoal> goals(JsonPart document) throws IOException {
        List<RecordedGoal> goals = new ArrayList<>();
        Optional<JsonPart> array = document.member("goals");
        for (JsonPart goal : array.isPresent() ? array.get().elements() : List.<JsonPart>of()) {
            Optional<JsonPart> measured = goal.member("measured");
            Optional<JsonPart> met = goal.member("met");
            goals.add(new RecordedGoal(
                    goal.required("figure").text(),
                    goal.required("goal").text(),
                    measured.isPresent() ? OptionalDouble.of(measured.get().number()) : OptionalDouble.empty(),
                    met.isPresent() ? Optional.of(met.get().truth()) : Optional.empty()));
        }
        return goals;
    }

    private static List<RecordedExperiment> experiments(JsonPart document) throws IOException {
        List<RecordedExperiment> experiments = new ArrayList<>();
        for (JsonPart experiment : document.required("experiments").elements()) {
            Optional<JsonPart> failure = experiment.member("failure");
            experiments.add(new RecordedExperiment(
                    experiment.required("name").text(),
                    failure.isPresent() ? Optional.of(failure.get().text()) : Optional.empty(),
                    cells(experiment)));
        }
        return experiments;
    }

    private static List<CellResult> cells(JsonPart experiment) throws IOException {
        List<CellResult> cells = new ArrayList<>();
        for (JsonPart cell : experiment.required("cells").elements()) {
            BenchCell subject = new BenchCell(
                    Contender.labelled(cell.required("scheme").text()),
                    cell.required("load").text(),
                    cell.required("amount").number());
            List<Measurement> rounds = new ArrayList<>();
            for (JsonPart round : cell.required("rounds").elements()) {
                rounds.add(measurement(round));
            }
            cells.add(new CellResult(subject, rounds));
        }
        return cells;
    }

    private static Measurement measurement(JsonPart round) throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonPart> value : round.members().entrySet()) {
            values.put(value.getKey(), value.getValue().number());
        }
        return new Measurement(values);
    }
}
