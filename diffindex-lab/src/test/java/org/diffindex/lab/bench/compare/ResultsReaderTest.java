package org.diffindex.lab.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.report.BenchReport;
import org.diffindex.lab.bench.report.ReportFiles;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultsReaderTest {
    @TempDir
    Path dir;

    private RecordedRun read(String json) throws IOException {
        return ResultsReader.read(Files.writeString(dir.resolve("results.json"), json));
    }

    @Test
    void readsWhatARunWrites() throws IOException {
        List<CellResult> cells = List.of(
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 110, 100),
                Results.cell(Results.INSERT, 1, "p50_us", 330, 330, 330));
        ExperimentResult update =
                new ExperimentResult(Results.experiment("update").description(), cells, Optional.empty());
        ExperimentResult read =
                new ExperimentResult(Results.experiment("read").description(), List.of(), Optional.of("a server died"));
        new ReportFiles(dir)
                .write(new BenchReport(Map.of("cores", "2"), Results.options(40_000), 61, List.of(update, read)));

        RecordedRun run = ResultsReader.read(ReportFiles.resultsAt(dir));

        assertThat(run.experiments())
                .containsExactly(
                        new RecordedExperiment("update", Optional.empty(), cells),
                        new RecordedExperiment("read", Optional.of("a server died"), List.of()));
        assertThat(run.goals())
                .hasSize(22)
                .contains(new RecordedGoal(
                        "put p50, 1 client, sync-insert / no index",
                        "at most 1.3",
                        OptionalDouble.of(3.3),
                        Optional.of(false)))
                .contains(new RecordedGoal(
                        "put p50, 1 client, sync-full / no index",
                        "at most 1.8",
                        OptionalDouble.empty(),
                        Optional.empty()));
        assertThat(run.facts())
                .containsEntry("cores", "2")
                .containsEntry("rows", "40000")
                .containsEntry("threads", "[1,8]")
                .containsEntry("rates", "[]")
                .doesNotContainKeys("experiments", "schemes");
    }

    @Test
    void whatAnOldFileLacksIsAbsent() throws IOException {
        RecordedRun run = read("{\"experiments\": [{\"name\": \"update\", \"cells\": []}]}");
        assertThat(run.facts()).isEmpty();
        assertThat(run.goals()).isEmpty();
        assertThat(run.experiments()).containsExactly(new RecordedExperiment("update", Optional.empty(), List.of()));
    }

    @Test
    void readsTheReportOfTheRepository() throws IOException {
        RecordedRun run = ResultsReader.read(Runs.COMMITTED);
        assertThat(run.experiments()).hasSizeGreaterThan(10).noneMatch(each -> each.cells()
                .isEmpty());
        assertThat(run.facts()).containsKeys("commit", "cores", "rows", "rounds");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"experiments": [                                    | is not JSON
                    ''                                                   | the content is not an object
                    []                                                   | the content is not an object
                    hello                                                | the content is not an object
                    {}                                                   | experiments is missing
                    {"experiments": {}}                                  | experiments is not an array
                    {"experiments": [{"cells": []}]}                     | experiments[0].name is missing
                    {"experiments": [{"name": "x"}]}                     | experiments[0].cells is missing
                    {"experiments": [{"name": 1, "cells": []}]}          | experiments[0].name is not a text
                    {"experiments": [{"name": "x", "cells": [{"scheme": "a", "load": "b", "amount": "c"}]}]} | cells[0].amount is not a number
                    {"experiments": [{"name": "x", "cells": [{"scheme": "a", "load": "b", "amount": 1, "rounds": [{"p50_us": "c"}]}]}]} | rounds[0].p50_us is not a number
                    {"experiments": [], "goals": [{"figure": "a", "goal": "b", "met": "c"}]} | goals[0].met is not true or false
                    """)
    void saysWhichFileIsWrongAndWhere(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(dir.resolve("results.json").toString())
                .hasMessageContaining(message);
    }

    @Test
    void saysWhichFileCannotBeRead() throws IOException {
        assertThatThrownBy(() -> ResultsReader.read(dir.resolve("none")))
                .isInstanceOf(IOException.class)
                .hasMessage(dir.resolve("none") + " does not exist; name a results.json, or the folder that has it");
        assertThatThrownBy(() -> ResultsReader.read(dir))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(dir + " cannot be read: ");
        Path latin = Files.write(dir.resolve("latin"), "\"é\"".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> ResultsReader.read(latin))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(latin + " is not JSON: ");
    }
}
