"""Takes the judges of several runs of one study over into the run that they are joined to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from ...core.atomic_files import make_directory, write_atomically
from ...running import Run
from ...running.store.shards import AnswerStore, read_answers
from .battles import read_battles, without_models, write_battles
from .rows import JUDGE_FILE, JUDGED, read_record, read_verdicts, write_verdicts


def join_judges(runs: Sequence[Run], out: Path, sources: Mapping[str, Run]) -> list[str]:
    """Put the replies and verdicts of all judges into ``out/judged``; give a line on each that is left out.

    A judge that two runs know by one name must be the same model, with the same arguments and of the same
    kind; else the first run's counts. Of a model that several runs have, the verdicts of the run are taken
    whose answers count, and its battles with models of other runs are left out.

    Args:
        runs: the first one counts before the others.
        out: the joined run.
        sources: the run that each model is taken from.

    Raises:
        RunError: a judge's files are damaged, or cannot be written.
    """
    notes = list[str]()
    for run in runs:
        left = {label for label in run.models() if sources[label] is not run}
        notes += _take_over(run, out, left)
    return notes


def _take_over(run: Run, out: Path, left: Collection[str]) -> Iterator[str]:
    for source in sorted(path.parent for path in (run.path / JUDGED).glob(f"*/{JUDGE_FILE}")):
        target, record = out / JUDGED / source.name, read_record(source)
        if (target / JUDGE_FILE).exists() and read_record(target) != record:
            yield (
                f"the judge {record['label']!r} of {run.path} is another model, has other arguments or is of "
                "another kind than that of an earlier run: its verdicts are left out"
            )
            continue
        make_directory(target)
        write_atomically(target / JUDGE_FILE, (source / JUDGE_FILE).read_bytes())
        store = AnswerStore.resume(target / "answers")
        replies = read_answers(source / "answers")
        lacking = [key not in store.answered for key in replies["key"].to_pylist()]
        store.append_table(replies.filter(pa.array(lacking, pa.bool_())))
        verdicts, battles = read_verdicts(source), read_battles(source)
        if verdicts is not None:
            write_verdicts(target, verdicts[~verdicts["model"].isin(list(left))])
        if battles is not None:
            write_battles(out, target, without_models(battles, left))
