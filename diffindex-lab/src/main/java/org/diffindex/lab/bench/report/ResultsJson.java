package org.diffindex.lab.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonNull;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;

/** The results as JSON, in the format that docs/benchmarks.md describes. */
final class ResultsJson {
    private ResultsJson() {}

    /** Returns the whole document. */
    static String of(BenchReport report) {
        JsonObject json = new JsonObject();
        json.add("machine", object(report.machine()));
        json.add("options", options(report.options()));
        json.addProperty("seconds", Math.round(report.seconds()));
        JsonArray goals = new JsonArray();
        report.goals().forEach(goal -> goals.add(object(goal)));
        json.add("goals", goals);
        JsonArray experiments = new JsonArray();
        report.results().forEach(result -> experiments.add(object(result)));
        json.add("experiments", experiments);
        if (report.options().rival().isPresent()) {
            json.add("relative_to_no_index", array(RivalRatios.of(report.options(), report.results())));
        }
        ServiceDemands.of(report.results()).ifPresent(demands -> json.add("service_demands", object(demands)));
        return new GsonBuilder()
                        .setPrettyPrinting()
                        .serializeNulls()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(json) + "\n";
    }

    private static JsonObject object(Map<String, String> facts) {
        JsonObject object = new JsonObject();
        facts.forEach(object::addProperty);
        return object;
    }

    private static JsonObject options(BenchOptions options) {
        JsonObject object = new JsonObject();
        object.addProperty("quick", options.quick());
        object.addProperty("rows", options.rows());
        object.addProperty("scan_rows", options.scanRows());
        object.add(
                "threads",
                strings(options.threads().stream().map(Object::toString).toList()));
        object.add(
                "rates", strings(options.rates().stream().map(Object::toString).toList()));
        object.addProperty("seconds", options.seconds());
        object.addProperty("rounds", options.rounds());
        object.add("experiments", strings(options.experiments()));
        object.add(
                "schemes",
                strings(options.schemes().stream().map(Contender::label).toList()));
        options.rival().ifPresent(rival -> object.addProperty("against", rival.name()));
        object.add("settings", object(options.settings()));
        object.addProperty("seed", options.seed());
        return object;
    }

    private static JsonArray strings(List<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }

    private static JsonObject object(Goal goal) {
        JsonObject object = new JsonObject();
        object.addProperty("figure", goal.figure());
        if (goal.measured().isPresent()) {
            Spread spread = goal.measured().get();
            object.addProperty("measured", rounded(spread.median()));
            object.addProperty("lowest", rounded(spread.lowest()));
            object.addProperty("highest", rounded(spread.highest()));
        } else {
            object.add("measured", JsonNull.INSTANCE);
        }
        object.addProperty("goal", goal.goalText());
        if (goal.met().isPresent()) {
            object.addProperty("met", goal.met().get());
        } else {
            object.add("met", JsonNull.INSTANCE);
        }
        goal.note().ifPresent(note -> object.addProperty("note", note));
        goal.plain().ifPresent(plain -> {
            object.addProperty("plain", rounded(plain.measured().median()));
            object.addProperty("plain_text", goal.plainText());
        });
        return object;
    }

    private static JsonArray array(RivalRatios ratios) {
        JsonArray array = new JsonArray();
        for (RivalRatios.Row row : ratios.rows()) {
            JsonObject each = new JsonObject();
            each.addProperty("experiment", row.experiment());
            each.addProperty("load", row.load());
            each.addProperty("value", row.value());
            for (int i = 0; i < ratios.contenders().size(); i++) {
                String label = ratios.contenders().get(i).label();
                row.ratios().get(i).ifPresent(ratio -> each.addProperty(label, rounded(ratio.median())));
            }
            array.add(each);
        }
        return array;
    }

    private static JsonObject object(ServiceDemands demands) {
        JsonObject micros = new JsonObject();
        for (ServiceDemands.Part part : ServiceDemands.Part.values()) {
            micros.addProperty(
                    part.name().toLowerCase(Locale.ROOT),
                    rounded(demands.micros().get(part)));
        }
        JsonArray figures = new JsonArray();
        for (ServiceDemands.Figure figure : demands.figures()) {
            JsonObject each = new JsonObject();
            each.addProperty("operation", figure.name());
            each.addProperty("measured_us", rounded(figure.measured()));
            each.addProperty("fitted_us", rounded(figure.fitted()));
            figures.add(each);
        }
        JsonArray predicted = new JsonArray();
        for (ScalePrediction prediction : ScalePrediction.of(demands)) {
            JsonObject each = new JsonObject();
            each.addProperty("servers", prediction.servers());
            each.addProperty("scheme", prediction.contender().label());
            each.addProperty("put_us", rounded(prediction.putMicros()));
            each.addProperty("put_calls", rounded(prediction.putCalls()));
            each.addProperty("batch_row_us", rounded(prediction.batchMicros()));
            each.addProperty("batch_row_calls", rounded(prediction.batchCalls()));
            predicted.add(each);
        }
        JsonObject object = new JsonObject();
        object.add("micros", micros);
        object.add("figures", figures);
        object.add("predicted", predicted);
        return object;
    }

    private static JsonObject object(ExperimentResult result) {
        JsonObject object = new JsonObject();
        object.addProperty("name", result.experiment().name());
        object.addProperty("source", result.experiment().source());
        result.failure().ifPresent(failure -> object.addProperty("failure", failure));
        if (!result.notes().isEmpty()) {
            object.add("notes", strings(result.notes()));
        }
        JsonArray cells = new JsonArray();
        result.cells().forEach(cell -> cells.add(object(cell)));
        object.add("cells", cells);
        return object;
    }

    private static JsonObject object(CellResult result) {
        JsonObject object = new JsonObject();
        object.addProperty("scheme", result.cell().contender().label());
        object.addProperty("load", result.cell().load());
        object.addProperty("amount", result.cell().amount());
        JsonObject median = new JsonObject();
        JsonObject lowest = new JsonObject();
        JsonObject highest = new JsonObject();
        for (String name : result.names()) {
            result.spread(name).ifPresent(spread -> {
                median.addProperty(name, rounded(spread.median()));
                lowest.addProperty(name, rounded(spread.lowest()));
                highest.addProperty(name, rounded(spread.highest()));
            });
        }
        object.add("median", median);
        object.add("lowest", lowest);
        object.add("highest", highest);
        JsonArray rounds = new JsonArray();
        for (Measurement round : result.rounds()) {
            JsonObject values = new JsonObject();
            round.values().forEach((name, value) -> values.addProperty(name, rounded(value)));
            rounds.add(values);
        }
        object.add("rounds", rounds);
        return object;
    }

    /** Rounds a value to four decimal places. */
    private static double rounded(double value) {
        return Math.round(value * 10_000) / 10_000.0;
    }
}
