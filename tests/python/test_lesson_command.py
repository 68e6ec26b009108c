"""``celltrain lesson``, as a student and a teacher use it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

from conftest import REPOSITORY, Command


def fill_in(folder: Path, **answers: str) -> None:
    sheet = folder / "answers.toml"
    text = sheet.read_text("utf-8")
    for name, answer in answers.items():
        text, count = re.subn(
            f'^{name.replace("_", "-")} = ".*"$', f'{name.replace("_", "-")} = "{answer}"', text, flags=re.M
        )
        assert count == 1, name
    sheet.write_text(text, "utf-8")


def test_a_student_starts_answers_and_is_told_what_to_look_at(cli: Command, tmp_path: Path) -> None:
    done = cli("lesson", "start", "1")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "lesson-1"
    assert sorted(file.name for file in folder.iterdir()) == ["answers.toml", "lesson.md", "scenario.toml"]
    assert cli("run", folder / "scenario.toml").returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    checked = cli("lesson", "check", "1", folder)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (1, "0 of 5 right")
    fill_in(folder, cells="32", padding="20", throughput="1.9 Mbit/s", ack_rate="62.5")
    checked = cli("lesson", "check", "1", folder / "answers.toml")
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        "cells         right",
        "padding       right",
        "throughput    not yet  The rate of the line counts whole cells: look at their headers, too.",
        "ack-rate      right",
        "best-segment  open",
        "3 of 5 right",
    ]
    fill_in(folder, throughput="1.722", best_segment="424 octets")
    checked = cli("lesson", "check", "1", folder)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "5 of 5 right")


def test_what_exists_is_kept_unless_replaced(cli: Command, tmp_path: Path) -> None:
    assert cli("lesson", "start", "2", "mine").returncode == 0
    sheet = tmp_path / "mine" / "answers.toml"
    sheet.write_text("my answers")
    refused = cli("lesson", "start", "2", "mine")
    assert refused.returncode == 2
    assert "--replace" in refused.stderr
    assert sheet.read_text() == "my answers"
    assert cli("lesson", "start", "2", "mine", "--replace").returncode == 0
    assert sheet.read_text().startswith("# Lesson 2")


def test_the_list_names_all_lessons(cli: Command) -> None:
    printed = cli("lesson", "list").stdout
    assert "     6  Bufferbloat and its cures" in printed
    rows = json.loads(cli("lesson", "list", "--json").stdout)
    assert [row["lesson"] for row in rows] == [1, 2, 3, 4, 5, 6]
    table = list(csv.DictReader(io.StringIO(cli("lesson", "list", "--format", "csv").stdout)))
    assert [row["about"] for row in table] == [row["about"] for row in rows]


def test_the_verdicts_are_json_and_csv_too(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('cells = 31\npadding = "20"\n')
    rows = json.loads(cli("lesson", "check", "1", "a.toml", "--json").stdout)
    assert [row["is_right"] for row in rows] == [False, True, None, None, None]
    done = cli("lesson", "check", "1", "a.toml", "--format", "csv")
    assert done.returncode == 1
    table = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["verdict"] for row in table] == ["not yet", "right", "open", "open", "open"]
    assert table[0]["look_at"] == rows[0]["says"]


def test_a_teacher_sees_answers_what_is_accepted_and_how_it_is_computed(cli: Command) -> None:
    done = cli("lesson", "key", "1")
    assert done.returncode == 0, done.stderr
    assert "  1.722 Mbit/s\n  accepted: 1.687 Mbit/s to 1.756 Mbit/s\n  closed form: amount(" in done.stdout
    rows = json.loads(cli("lesson", "key", "1", "--json").stdout)
    assert rows[0]["accepted_from"] == rows[0]["accepted_to"] == 32
    assert cli("lesson", "key", "1", "--format", "md").stdout.startswith("| question | answer |")


def test_mistakes_are_met_with_what_to_do(cli: Command, tmp_path: Path) -> None:
    files = {"bad.toml": "cells = ", "unknown.toml": "cels = 3", "word.toml": 'cells = "many"'}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for words, message in [
        (("start", "9"), "there is no lesson 9; there are 1 to 6"),
        (("check", "1", "none.toml"), "none.toml: No such file"),
        (("check", "1", "bad.toml"), "bad.toml: not valid TOML"),
        (("check", "1", "unknown.toml"), 'did you mean "cells"?'),
        (("check", "1", "word.toml"), "word.toml: cells: found 'many', expected a plain number"),
    ]:
        done = cli("lesson", *words)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_the_guide_for_teachers_works_as_described(cli: Command, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "how-to" / "teach-a-class.md").read_text("utf-8")
    found = re.findall(r"^(?:if )?celltrain (lesson .*)$", page, re.MULTILINE)
    assert len(found) == 3
    for line in found:
        words = line.partition(" --json")[0].split()
        assert cli(*words).returncode == (1 if "check" in words else 0)
    assert (tmp_path / "class" / "ada" / "answers.toml").exists()


def test_the_page_about_lessons_has_code_that_runs(cli: Command) -> None:
    page = (REPOSITORY / "docs" / "lessons" / "index.md").read_text("utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            assert cli(*line.split()[1:]).returncode in (0, 1 if "check" in line else 0), line
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "index.md", "exec"), {})
