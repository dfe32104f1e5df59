package org.diffindex.lab.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.lab.bench.statistics.Spread;

/** A comparison as JSON. Only figures and goals that changed are listed; the others are counted. */
final class ComparisonJson {
    private ComparisonJson() {}

    /** Returns a JSON object. */
    static String of(Comparison comparison) {
        JsonObject json = new JsonObject();
        json.addProperty("a", comparison.a().file().toString());
        json.addProperty("b", comparison.b().file().toString());
        json.add("different", array(FactDifference.between(comparison.a(), comparison.b()), ComparisonJson::object));
        json.add("failed", failed(comparison));
        comparison.drift().factors().ifPresent(factors -> json.add("machine_drift", object(factors)));
        json.addProperty("compared", comparison.compared());
        json.addProperty("expected_by_chance", comparison.expectedByChance());
        json.add("figures", counts(comparison::count));
        json.add("goals", counts(comparison::countGoals));
        json.add(
                "changed_figures",
                array(
                        comparison.figures().stream()
                                .filter(change -> change.verdict().isChange())
                                .toList(),
                        ComparisonJson::object));
        json.add(
                "changed_goals",
                array(
                        comparison.goals().stream()
                                .filter(change -> change.verdict().isChange())
                                .toList(),
                        ComparisonJson::object));
        json.add("different_rates", array(RateDifference.among(comparison.figures()), ComparisonJson::object));
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(json);
    }

    private static <T> JsonArray array(List<T> elements, Function<T, JsonObject> toObject) {
        JsonArray array = new JsonArray();
        elements.stream().map(toObject).forEach(array::add);
        return array;
    }

    private static JsonObject counts(ToLongFunction<Verdict> count) {
        JsonObject object = new JsonObject();
        for (Verdict verdict : Verdict.values()) {
            object.addProperty(verdict.name().toLowerCase(Locale.ROOT), count.applyAsLong(verdict));
        }
        return object;
    }

    private static JsonArray failed(Comparison comparison) {
        JsonArray failed = array(comparison.a().failed(), experiment -> object("a", experiment));
        failed.addAll(array(comparison.b().failed(), experiment -> {
            JsonObject object = object("b", experiment);
            if (comparison.failedOnlyInB(experiment)) {
                object.addProperty("b_is", Verdict.WORSE.text());
            }
            return object;
        }));
        return failed;
    }

    private static JsonObject object(String report, RecordedExperiment failed) {
        JsonObject object = new JsonObject();
        object.addProperty("report", report);
        object.addProperty("experiment", failed.name());
        object.addProperty("failure", failed.failure().orElseThrow());
        return object;
    }

    private static JsonObject object(FactDifference difference) {
        JsonObject object = new JsonObject();
        object.addProperty("fact", difference.fact());
        difference.a().ifPresent(fact -> object.addProperty("a", fact));
        difference.b().ifPresent(fact -> object.addProperty("b", fact));
        object.addProperty("ratios_depend_on_it", difference.isOfRatios());
        return object;
    }

    private static JsonObject object(Spread spread) {
        JsonObject object = new JsonObject();
        object.addProperty("median", spread.median());
        object.addProperty("lowest", spread.lowest());
        object.addProperty("highest", spread.highest());
        spread.interval().ifPresent(interval -> {
            object.addProperty("interval_low", interval.low());
            object.addProperty("interval_high", interval.high());
        });
        return object;
    }

    private static JsonObject object(FigureChange change) {
        FigureName name = change.name();
        JsonObject object = new JsonObject();
        object.addProperty("experiment", name.experiment());
        object.addProperty("load", name.load());
        object.addProperty("scheme", name.scheme());
        object.addProperty("value", name.value().valueName());
        object.addProperty("absolute", name.isAbsolute());
        object.add("a", object(change.a().orElseThrow().spread()));
        object.add("b", object(change.b().orElseThrow().spread()));
        change.factor().ifPresent(factor -> object.addProperty("factor", factor));
        object.addProperty("b_is", change.verdict().text());
        return object;
    }

    private static JsonObject object(RateDifference difference) {
        JsonArray schemes = new JsonArray();
        difference.schemes().forEach(schemes::add);
        JsonObject object = new JsonObject();
        object.addProperty("experiment", difference.experiment());
        object.addProperty("load", difference.load());
        object.add("schemes", schemes);
        object.add("a", object(difference.a()));
        object.add("b", object(difference.b()));
        return object;
    }

    private static JsonObject object(RequestedRates rates) {
        JsonObject object = new JsonObject();
        object.addProperty("lowest", rates.lowest());
        object.addProperty("highest", rates.highest());
        rates.missed().ifPresent(rate -> object.addProperty("missed", rate));
        return object;
    }

    private static JsonObject object(GoalChange change) {
        JsonObject object = new JsonObject();
        object.addProperty("figure", change.figure());
        object.add("a", object(change.a().orElseThrow()));
        object.add("b", object(change.b().orElseThrow()));
        object.addProperty("b_is", change.verdict().text());
        return object;
    }

    private static JsonObject object(RecordedGoal goal) {
        JsonObject object = new JsonObject();
        goal.measured().ifPresent(measured -> object.addProperty("measured", measured));
        object.addProperty("goal", goal.bound());
        goal.met().ifPresent(met -> object.addProperty("met", met));
        return object;
    }
}
