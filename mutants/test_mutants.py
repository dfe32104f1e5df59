"""Tests of bin/mutants, without Java: python3 -B -m unittest discover --start-directory mutants"""

import importlib.machinery
import importlib.util
import json
import sys
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

SCRIPT = Path(__file__).resolve().parent.parent / "bin" / "mutants"
LOADER = importlib.machinery.SourceFileLoader("mutants_script", str(SCRIPT))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = script
LOADER.exec_module(script)

A, B, C = "org.diffindex.ATest", "org.diffindex.BTest", "org.diffindex.CTest"
MUTANT = script.Mutant("m", "A mistake.", "diffindex-model/src/main/java/A.java", [], "old\n", "new\n")
OPTIONS = SimpleNamespace(nets=["unit", "rest"], limit=100, runs=1, sequences=1, seed=0)


def replace(test, name, value):
    """Replaces a constant of the script during a test."""
    patch = mock.patch.object(script, name, value)
    patch.start()
    test.addCleanup(patch.stop)


class Tests:
    """A and B are near the mutant; C is another test."""

    @staticmethod
    def near(mutant):
        return [A, B]

    @staticmethod
    def others(near, kills):
        return [C]


class Runner(script.Runner):
    """Answers runs from a list, and records them: whether the mutant is there, and the classes."""

    def __init__(self, *answers):
        super().__init__(build=None)
        self.answers = list(answers)
        self.runs = []

    def failing_test(self, net, classes, folder):
        self.runs.append(("mutant" if classes else "control", net.classes, net.limit))
        return self.answers.pop(0)


class CopyTest(unittest.TestCase):
    def test_a_file_that_is_gone_from_the_checkout_is_removed_from_the_copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root, copy = Path(folder.name) / "root", Path(folder.name) / "copy"
        replace(self, "ROOT", root)
        replace(self, "COPY", copy)
        kept, gone = "mutants/queue/kept.mutant", "mutants/queue/gone.mutant"
        for name in (kept, gone):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("A mistake.")
        script.copy_checkout({kept, gone})
        (root / gone).unlink()
        script.copy_checkout({kept})
        self.assertTrue((copy / kept).is_file())
        self.assertFalse((copy / gone).exists(), "MutantFilesTest, of the net rest, would examine it in the copy")


class JudgeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        replace(self, "WORK", Path(folder.name))
        self.build = SimpleNamespace(compile=lambda mutant, folder: folder / "classes", digest="d")

    def judge(self, runner):
        return script.judge(MUTANT, self.build, runner, Tests(), {}, OPTIONS)

    def test_a_mutant_is_found_if_a_class_fails_twice_with_it_and_succeeds_without_it(self):
        runner = Runner("BTest.fails", "BTest.fails", None)
        verdict = self.judge(runner)
        self.assertEqual(("unit", "BTest.fails"), (verdict.net, verdict.test))
        self.assertEqual([("mutant", [A, B], 100), ("mutant", [B], 100), ("control", [B], 100)], runner.runs)

    def test_a_failure_that_does_not_repeat_finds_nothing(self):
        runner = Runner("BTest.fails", None, "CTest.fails", "CTest.fails", None)
        verdict = self.judge(runner)
        self.assertEqual(("rest", "CTest.fails"), (verdict.net, verdict.test))

    def test_a_mutant_survives_if_no_failure_repeats(self):
        self.assertEqual("", self.judge(Runner("BTest.fails", None, "CTest.fails", None)).net)

    def test_what_also_fails_without_the_mutant_is_no_verdict(self):
        with self.assertRaisesRegex(script.Failure, "also fails without any mutant"):
            self.judge(Runner("BTest.fails", "BTest.fails", "BTest.fails"))

    def test_the_control_of_a_test_that_does_not_end_is_all_that_its_time_limit_covers(self):
        runner = Runner("BTest.hangs (does not end)", "BTest.hangs (does not end)", None)
        self.assertEqual("unit", self.judge(runner).net)
        self.assertEqual(("control", [A, B], 100), runner.runs[-1])

    def test_classes_that_together_take_longer_than_the_limit_find_nothing(self):
        with self.assertRaises(script.Failure):
            self.judge(Runner("BTest.hangs (does not end)", "BTest.hangs (does not end)", "ATest.slow (does not end)"))

    def test_all_classes_of_a_net_run_again_if_the_JVM_ends_before_the_first_test(self):
        runner = Runner(f"{A} (the JVM exits with 1)", f"{A} (the JVM exits with 1)", None)
        self.assertEqual("unit", self.judge(runner).net)
        self.assertEqual([[A, B]] * 3, [classes for _, classes, _ in runner.runs])


class ResumeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.results = self.root / "results.jsonl"
        replace(self, "RESULTS", self.results)

    def write(self, **changes):
        verdict = script.Verdict("m", 0, "unit", "BTest.fails", 1, script.code_of(MUTANT, "d"))
        self.results.write_text(json.dumps({**asdict(verdict), **changes}) + "\n")

    def found(self, mutant=MUTANT, digest="d", seed=0):
        return list(script.found_before([mutant], digest, seed))

    def test_what_the_same_code_found_is_not_run_again(self):
        self.write()
        self.assertEqual(["m"], self.found())

    def test_survivors_and_other_seeds_run_again(self):
        self.write(net="")
        self.assertEqual([], self.found())
        self.write()
        self.assertEqual([], self.found(seed=1))

    def test_a_verdict_on_other_sources_or_tests_is_ignored(self):
        self.write()
        self.assertEqual([], self.found(digest="other"))

    def test_a_verdict_on_another_mutant_of_the_same_name_is_ignored(self):
        self.write()
        self.assertEqual([], self.found(mutant=script.Mutant("m", "A mistake.", MUTANT.file, [], "old\n", "newer\n")))

    def test_a_verdict_without_a_digest_is_ignored(self):
        self.write()
        verdict = json.loads(self.results.read_text())
        del verdict["code"]
        self.results.write_text(json.dumps(verdict) + "\n")
        self.assertEqual([], self.found())

    def test_the_digest_covers_sources_and_tests_and_no_documents(self):
        names = ["diffindex-model/src/main/java/A.java", "diffindex-server/src/test/java/ATest.java", "docs/a.md"]
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text("before")
        digests = [script.digest_of(self.root, names)]
        for name in names:
            (self.root / name).write_text("after")
            digests.append(script.digest_of(self.root, names))
        self.assertEqual(3, len(set(digests)))
        self.assertEqual(digests[2], digests[3])


class ProcessorsTest(unittest.TestCase):
    def processors(self, affinity, quota):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(
            script.os, "sched_getaffinity", lambda process: set(range(affinity))
        ), mock.patch.object(script, "CPU_QUOTA", Path(folder) / "cpu.max"):
            if quota:
                script.CPU_QUOTA.write_text(quota + "\n")
            return script.processors()

    def test_are_those_that_the_process_may_use(self):
        self.assertEqual(4, self.processors(4, None))
        self.assertEqual(4, self.processors(4, "max 100000"))
        self.assertEqual(2, self.processors(4, "250000 100000"))
        self.assertEqual(4, self.processors(4, "800000 100000"))
        self.assertEqual(1, self.processors(4, "50000 100000"))


if __name__ == "__main__":
    unittest.main()
