"""Which of a harness's metrics is the main one of a data set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...core.errors import InputError

TORR = {"finqa": "program_accuracy", "wikitq": "f1_strings", "tab_fact": "accuracy"} | {
    "turl_col_type": "f1_micro",
    **dict.fromkeys(("numeric_nlg", "qtsumm", "scigen", "tablebench_data_analysis"), "rougeL"),
    **dict.fromkeys(("tablebench_fact_checking", "tablebench_numerical_reasoning"), "rougeL"),
}
"""The main metrics of ToRR's data sets on HELM's leaderboard (HELM 0.5.16, schema_torr.yaml)."""

_USUAL = ("exact_match", "acc", "accuracy", "acc_norm", "pass@1", "f1", "rougeL", "score")
_MOST_NAMED = 12


def main_metrics(
    found: Mapping[str, Sequence[str]], said: Mapping[str, Collection[str]], wanted: Sequence[str]
) -> dict[str, str]:
    """The main metric of each data set.

    Args:
        found: data set -> the metrics that it has scores of.
        said: data set -> those that the harness calls the main one.
        wanted: what the user chose; of several the first that a data set has. One that has none of them
            keeps what the harness, ToRR or custom says.

    Raises:
        InputError: a data set has several metrics, and none that is known for the main one.
    """
    return {dataset: _main(dataset, names, said.get(dataset, ()), wanted) for dataset, names in found.items()}


def has_main(found: Collection[str], said: Collection[str], wanted: Sequence[str]) -> bool:
    """Whether there are scores of what the user chose or the harness calls the main metric of a data set.

    Where there are none, another metric does not take its place: all results failed to be rated.
    """
    return not said or not set(found).isdisjoint((*said, *wanted))


def not_as_wanted(mains: Mapping[str, str], wanted: Sequence[str]) -> Iterator[str]:
    """A line on each data set that has none of the metrics which the user chose."""
    for dataset, main in mains.items():
        if wanted and main not in wanted:
            yield f"{dataset}: has no score called {' or '.join(wanted)}; {main} counts"


def refuse_chosen(wanted: Sequence[str]) -> None:
    """Refuse a choice where all answers are rated by cards, which say themselves what counts.

    Raises:
        InputError: something is wanted.
    """
    if wanted:
        raise InputError(
            "--metric: these answers are rated by cards, whose metrics say which is the main one; "
            "'torr analyse --metric' shows another"
        )


def refuse_unknown(found: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> None:
    """Refuse what the user chose and no data set has.

    Args:
        found: as in :func:`main_metrics`, of all data sets.
        wanted: what the user chose.

    Raises:
        InputError: no data set has a metric of that name.
    """
    for name in wanted:
        if found and not any(name in names for names in found.values()):
            dataset, names = next(iter(found.items()))
            raise InputError(f"--metric {name!r}: data set {dataset!r} has {_listed(names)}; choose one")


def _main(dataset: str, found: Sequence[str], said: Collection[str], wanted: Sequence[str]) -> str:
    usual = [*wanted, *(said if len(said) == 1 else ()), TORR.get(dataset), *_USUAL]
    known = [name for name in usual if name in found] or (found if len(found) == 1 else [])
    if known:
        return str(known[0])
    raise InputError(
        f"data set {dataset!r}: none of its metrics is known for the main one; found "
        f"{_listed(found)}; choose one with --metric, which may be given several times"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED])
