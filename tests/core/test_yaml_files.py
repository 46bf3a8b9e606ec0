"""YAML of others is read within bounds, whatever a few lines of it stand for."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys

import pytest
import yaml

from torr_plugin.core import yaml_files
from torr_plugin.core.yaml_files import MOST_DEPTH, MOST_DIGITS, read_yaml

# what multiplies takes all memory or hours where it is not refused: another process, which can be ended
READ = """
import json, resource, sys
from torr_plugin.core.yaml_files import read_yaml
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
def refusal(text):
    try:
        read_yaml(text)
    except ValueError as error:
        return str(error)
print(json.dumps([refusal(text) for text in json.load(sys.stdin)]))
"""


def levels(first: str, entry: str, level: str, count: int) -> str:
    """Ten times as much at each level: ``level`` holds ten of ``entry``."""
    more = [
        f"a{n}: &a{n} " + level.format(", ".join([entry.format(f"*a{n - 1}")] * 10)) for n in range(1, count)
    ]
    return "\n".join([f"a0: &a0 {first}", *more])


MULTIPLY = {
    "merged": levels("{k: 1}", "{}", "{{<<: [{}]}}", 12),
    "merged by tag": levels("{k: 1}", "{}", "{{!!merge m: [{}]}}", 12),
    "pairs": levels("x", "k: {}", "!!pairs [{}]", 12),
    "ordered": levels("x", "k: {}", "!!omap [{}]", 12),
    "in sets": levels("x", "{}", "[!!pairs [k: [{}]]]", 12),
    "lists": levels("[x]", "{}", "[{}]", 12),
}


NUMBERS = [
    "a: 1" + ":1" * 100_000,
    "a: 1" + ":1" * 100_000 + ".5",
    "a: !!int '1" + ":1" * 100_000 + "'",
    "a: " + "9" * 5_000,
    "a: 0x" + "f" * 5_000,
    "a: -0b" + "1_" * 5_000,
    "a: 1." + "0" * 5_000,
]
# each is a multiple of 2^61 - 1, by which Python takes the hash of a whole number
KEYS = [str(n * (2**61 - 1)) for n in range(1, 20_000)]
KEYS_OF_ONE_HASH = "{" + ": ,".join(KEYS) + ": }"
LONG_KEY = "a key that is a number of more than 18 characters"


def test_what_multiplies_never_ends_or_collides_is_refused_at_once() -> None:
    texts = [*MULTIPLY.values(), *NUMBERS, KEYS_OF_ONE_HASH]
    done = subprocess.run(
        [sys.executable, "-c", READ], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    multiplied = "holds more than 1,000,000 values once its aliases are written out"
    number = f"a number of more than {MOST_DIGITS:,} characters"
    expected = [multiplied] * len(MULTIPLY) + [number] * len(NUMBERS) + [LONG_KEY]
    assert json.loads(done.stdout) == expected


def test_what_is_merged_is_read() -> None:
    assert read_yaml("a: &a {k: 1, l: 2}\nb: {<<: *a, l: 3}") == {
        "a": {"k": 1, "l": 2},
        "b": {"k": 1, "l": 3},
    }
    assert read_yaml("!!pairs [a: 1, a: 2]") == [("a", 1), ("a", 2)]
    assert read_yaml("!!set {a, b}") == {"a", "b"}


def test_a_few_keys_that_are_long_numbers() -> None:
    few = KEYS[1:3]
    for text in (
        "!!set {" + ",".join(few) + "}",
        "{" + ": ,".join(f"!!int '{key}'" for key in few) + ": }",
        "[&a 9223372036854775806, {*a : 1}]",
    ):
        with pytest.raises(ValueError, match=LONG_KEY):
            read_yaml(text)


def test_long_texts_are_no_numbers() -> None:
    texts = ["1" * 5_000, "1:" * 5_000, "<<", "=", "0x" + "f" * 5_000, "9223372036854775806", "12:30:00 " * 9]
    content = {
        "list": texts,
        **dict.fromkeys(texts, "value"),
        "seed": 2**128,
        "at": ["2024-01-01-of-a-model"],
    }
    for dumper in (yaml.SafeDumper, getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
        assert read_yaml(yaml.dump(content, Dumper=dumper)) == content
    assert read_yaml("v" + "1:" * 5_000 + "1") == "v" + "1:" * 5_000 + "1"
    assert read_yaml("- 1:30:00\n- 2024-01-02\n- 1.5e+3") == [5400, datetime.date(2024, 1, 2), 1500.0]


@pytest.mark.parametrize(
    "text",
    [
        "!!bool x",
        "!!int ''",
        "!!float x",
        "!!timestamp x",
        "2024-13-41",
        "2024-01-01T00:00:00+99:00",
        "1" + ":1" * 300 + ".5",
        "!!binary é",
        "!!python/object:os.system x",
        "[*nothing]",
        "a: 1\n---\nb: 2",
        "? [a]\n: b",
        "!!omap {a: 1}",
        "&a !!str {=: !!str {=: [x]}}",
    ],
)
def test_what_is_not_what_it_says(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not YAML: [^\n]+$"):
        read_yaml(text)


def test_nesting_by_aliases() -> None:
    """Each line goes one deeper, also where values of one key replace each other."""
    for count, key in ((MOST_DEPTH + 1, "a{}"), (5_000, "a{}"), (5_000, "a")):
        lines = [f"{key.format(n)}: &a{n} [*a{n - 1}]" for n in range(1, count)]
        with pytest.raises(ValueError, match=rf"nested more than {MOST_DEPTH} deep"):
            read_yaml("\n".join([f"{key.format(0)}: &a0 [x]", *lines]))
    lines = [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, MOST_DEPTH - 1)]
    assert len(read_yaml("\n".join(["a0: &a0 [x]", *lines]))) == MOST_DEPTH - 1
    assert read_yaml("[" * MOST_DEPTH + "]" * MOST_DEPTH)
    with pytest.raises(ValueError, match="nested more than"):
        read_yaml("[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1))


@pytest.mark.parametrize("text", ["&a {<<: *a}", "&a [*a]", "a: &a {b: [{<<: [*a]}]}", "&a !!pairs [k: *a]"])
def test_an_alias_that_holds_itself(text: str) -> None:
    with pytest.raises(ValueError, match=r"^an alias that holds itself$"):
        read_yaml(text)


@pytest.mark.parametrize("text", ["[1, 2, 3, 4, 5, 6]", "{a: 1, b: [2, 3], c: 4, d: 5}", "[&a [1], *a, *a]"])
def test_values_are_counted_as_they_are(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A list or mapping is one, and each value; a key is none."""
    monkeypatch.setattr(yaml_files, "MOST_VALUES", 7)
    assert read_yaml(text)
    monkeypatch.setattr(yaml_files, "MOST_VALUES", 6)
    with pytest.raises(ValueError, match="holds more than 6 values"):
        read_yaml(text)
