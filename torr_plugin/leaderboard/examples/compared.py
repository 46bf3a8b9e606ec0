"""What differs between the tables of two prompts of an example, read back from the prompts as sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import counted
from ...prompts import Prompt
from ...running.baselines.reading import fields, split_prompt, without_explanations
from ...tables import Table, serializers
from ...tables.changes import TableChanges, table_changes, texts_of
from .flips import ExampleConfiguration
from .scores import ModelFlip

MOST_CELLS = 2_000
"""Of a table that is compared."""
MOST_PROMPT = 40_000
"""Characters of a prompt in which a table is looked for."""
MOST_PROMPTS = 3_000
"""Of a study that are read for their tables."""


def pairs_to_compare(flips: Sequence[Sequence[ModelFlip]], most: int) -> dict[int, set[tuple[int, int]]]:
    """Example -> its pairs to compare: each model's widest flips, until ``most`` prompts are to be read."""
    of_model: dict[int, list[tuple[float, int, tuple[int, int]]]] = {}
    for example, own in enumerate(flips):
        for flip in own:
            of_model.setdefault(flip.model, []).append((-flip.width, example, (flip.worst, flip.best)))
    turns = sorted(
        (turn, model, example, pair)
        for model, own in of_model.items()
        for turn, (_, example, pair) in enumerate(sorted(own))
    )
    read: set[tuple[int, int]] = set()
    found: dict[int, set[tuple[int, int]]] = {}
    for _, _, example, pair in turns:
        read.update((example, place) for place in pair)
        if len(read) > most:
            break
        found.setdefault(example, set()).add(pair)
    return found


@dataclass(frozen=True, slots=True)
class ComparedPrompt:
    """A prompt whose table is compared, with all that it takes to read that in any process.

    Attributes:
        config: its configuration.
        name: what pages call that.
        format: what pages call its format.
        serializer: reads the format; None where nothing does.
        messages: the texts to read, the last one last; none where nothing reads them.
        shortened: whether they are shown in parts, and so not read.
    """

    config: ExampleConfiguration
    name: str
    format: str
    serializer: serializers.Serializer | None
    messages: tuple[str, ...]
    shortened: bool


def compared_prompt(
    prompt: Prompt, shortened: bool, config: ExampleConfiguration, short: Mapping[str, str]
) -> ComparedPrompt:
    """A prompt, and whether it is shown in parts; ``short``: configuration or format -> its name on pages."""
    serializer = serializers.readable(config.serializer)
    read = serializer is not None and not shortened
    return ComparedPrompt(
        config=config,
        name=short.get(config.name, config.name),
        format=short.get(config.serializer, config.serializer),
        serializer=serializer,
        messages=tuple(message.content for message in prompt) if read else (),
        shortened=shortened,
    )


Pairs = Collection[tuple[int, int]]
"""Of an example's configurations, by their places: worst and best."""


def compare_each(examples: Iterable[tuple[Pairs, Mapping[int, ComparedPrompt]]]) -> list[dict[str, Any]]:
    """:func:`compared_pairs` of several examples."""
    return [compared_pairs(*example) for example in examples]


def compared_pairs(pairs: Pairs, prompts: Mapping[int, ComparedPrompt]) -> dict[str, Any]:
    """What differs between pairs of an example's configurations, given the prompts of those that were asked.

    Returns:
        ``tables``: texts row by row, each table once. ``pairs``: [from, to, what differs in sentences, the
        number of the one table, that of the other, changes], the last three None where no cell differs or
        none was compared. Changes go from the unperturbed table, where one of two is, else from the better
        configuration's; they are as :class:`TableChanges` has them, -1 for None.
    """
    wanted = sorted({pair for pair in pairs if pair[0] in prompts and pair[1] in prompts})
    read = {place: _read(prompts[place]) for place in {each for pair in wanted for each in pair}}
    numbers: dict[tuple[tuple[str, ...], ...], int] = {}
    found = []
    for worst, best in wanted:
        first, second = (worst, best) if prompts[worst].config.perturbation == "none" else (best, worst)
        one, other = prompts[first], prompts[second]
        before, after = read[first], read[second]
        if isinstance(before, str) or isinstance(after, str):
            reason = before if isinstance(before, str) else str(after)
            found.append([first, second, [*_differing(one.config, other.config), reason], None, None, None])
            continue
        changes = table_changes(before, after)
        words = changes_in_words(changes, after, one.name, other.name)
        lines = [*_differing(one.config, other.config), words]
        shown: list[Any] = [None, None, None]
        if not changes.nothing:
            texts = (tuple(map(tuple, texts_of(table))) for table in (before, after))
            shown = [*(numbers.setdefault(each, len(numbers)) for each in texts), _as_data(changes)]
        found.append([first, second, lines, *shown])
    return {"tables": [[list(row) for row in texts] for texts in numbers], "pairs": found}


def changes_in_words(changes: TableChanges, after: Table, one: str, other: str) -> str:
    """What differs from one configuration's table to the other's, ``after``, in a sentence.

    Headers that stand where they stood are not counted among the lines that could have moved.
    """
    if changes.nothing:
        return "Both prompts hold the same table, cell for cell."
    found = ["rows and columns are exchanged"] if changes.turned else []
    for word, headers, lines, moved, new, lost in (
        ("row", after.header_rows, changes.rows, changes.moved_rows, changes.new_rows, changes.lost_rows),
        (
            *("column", after.header_columns, changes.columns),
            *(changes.moved_columns, changes.new_columns, changes.lost_columns),
        ),
    ):
        if moved:
            still = 0 if any(place < headers for place in (*moved, *new)) else headers
            both = counted(len(lines) - len(new) - still, word)
            stand = "stands" if len(moved) == 1 else "stand"
            found.append(
                f"{len(moved):,} of the {both} in both tables {stand} elsewhere among them"
                if new or lost
                else f"{len(moved):,} of {both} {stand} elsewhere"
            )
        found += [
            f"{counted(len(some), word)} {'is' if len(some) == 1 else 'are'} {what}"
            for some, what in ((new, "new"), (lost, "missing"))
            if some
        ]
    if changes.changed:
        have = "has" if len(changes.changed) == 1 else "have"
        found.append(f"{counted(len(changes.changed), 'cell')} {have} another text")
    return f"From {one} to {other}: {'; '.join(found)}."


def _differing(one: ExampleConfiguration, other: ExampleConfiguration) -> list[str]:
    """Which parts of two configurations differ, in a sentence; none where their names alone do."""
    parts = {"format": "serializer", "perturbation": "perturbation", "design": "design"}
    words = [word for word, part in parts.items() if getattr(one, part) != getattr(other, part)]
    if len(words) == 1:
        return [f"The {words[0]} alone differs."]
    return [f"The {', '.join(words[:-1])} and the {words[-1]} differ."] if words else []


def _read(prompt: ComparedPrompt) -> Table | str:
    """The table that a prompt asks about; or, in a sentence, why its cells are not compared."""
    if prompt.serializer is None:
        return f"The cells are not compared: nothing reads {prompt.format} back."
    if prompt.shortened:
        return "The cells are not compared: the prompts are too long."
    found = None
    for message in reversed(prompt.messages):
        if found is None and len(message) <= MOST_PROMPT:
            found = _table_in(message, prompt.serializer)
    if found is None:
        return f"The cells are not compared: no table in the format {prompt.format} was found in a prompt."
    if found.n_rows * found.n_columns > MOST_CELLS:
        return f"The cells are not compared: a table has more than {MOST_CELLS:,} of them."
    return found


def _table_in(text: str, serializer: serializers.Serializer) -> Table | None:
    """The table of the example that a prompt asks; demonstrations have tables too."""
    parts = split_prompt(text)
    labelled = without_explanations(fields(parts.example, parts.labels))
    found = [each for _, part in labelled if (each := serializer.find(part)) is not None]
    return max(found, key=lambda each: each.explained).table if found else None


def _as_data(changes: TableChanges) -> dict[str, Any]:
    return {
        "turned": changes.turned,
        "rows": [-1 if each is None else each for each in changes.rows],
        "columns": [-1 if each is None else each for each in changes.columns],
        "moved": [list(changes.moved_rows), list(changes.moved_columns)],
        "changed": [list(each) for each in changes.changed],
        "lost": [list(changes.lost_rows), list(changes.lost_columns)],
    }
