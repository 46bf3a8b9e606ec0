"""What the commands of question writing share, and how a person reads their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from .. import question_writing
from ..analysis.number_format import format_interval
from ..core.errors import counted
from .command import emit, next_command, say, say_in_columns
from .commands.options import Executor, Json, ModelOptions, RetryFailed
from .console import print_rows, run_progress, shortened

if TYPE_CHECKING:
    from ..question_writing.asking import WritingTask


@dataclass(frozen=True, kw_only=True)
class WritingOptions(ModelOptions):
    """Which models write questions, and how they are asked."""

    out: Annotated[
        Path, Option("--out", help="The folder for replies and review files; an earlier one is resumed.")
    ]
    max_tokens: Annotated[int, Option(min=1, help="At most this many tokens per reply.")] = 4096
    executor: Executor = "local"
    retry_failed: RetryFailed = False
    plan: Annotated[
        bool, Option("--plan", help="Show what this would ask and cost, at most, and ask nothing.")
    ] = False
    as_json: Json = False

    def write(
        self,
        task: WritingTask,
        write: Callable[[Any, question_writing.Rounds], Mapping[str, Any]],
        show: Callable[[Mapping[str, Any]], None],
    ) -> int:
        """Write questions, or show what that would ask; the exit code."""
        if self.plan:
            for note in task.notes:
                say_in_columns(note)
            rows = question_writing.planned_rounds(task, self.out, self.max_tokens)
            emit({**task.about, "rounds": rows}) if self.as_json else _show_rounds(rows)
            return 0
        rounds = question_writing.Rounds(
            self.out, self.max_tokens, self.executor, self.retry_failed, run_progress, say_in_columns
        )
        result = write(task, rounds)
        emit(result) if self.as_json else show(result)
        return 1 if result["failed"] else 0


def _show_rounds(rounds: Sequence[Mapping[str, Any]]) -> None:
    """Show what rounds of prompts would ask, a row a round and model."""
    rows = [
        {
            "round": row["round"],
            "model": row["model"],
            "prompts": row["prompts"],
            "tokens": f"~{shortened(row['prompt tokens'])}",
            "longest": f"~{row['longest prompt']:,}",
            "answers": shortened(row["answer tokens"]),
            "US dollars": "" if row["cost"] is None else f"{row['cost']:,.2f}",
            "answered": row["answered"],
        }
        for row in rounds
    ]
    print_rows(rows, left=("round", "model"))
    say_in_columns(
        "prompts, tokens, answers and US dollars at most: fewer questions may come, and repeated questions "
        "and equal answers lead to nothing; ~: an estimate, four characters a token; answered: replies of "
        "this model that are there"
    )


def show_annotation(result: Mapping[str, Any]) -> None:
    """Show how many questions there are of each type, and where they are reviewed."""
    rows = [{"type": kind, "questions": count} for kind, count in result["questions"].items()]
    print_rows(rows or [{"type": "none", "questions": 0}], left=("type",))
    notes = [
        (result["repeated"], "question", "repeated another of the same table and were left out"),
        (result["unanswered"], "question", "got no answer"),
        (result["unscored"], "answer", "without a score of the judge's"),
    ]
    if _said(result, notes, any_question=bool(rows)):
        _say_review(result["folder"], f"torr annotate accept {quote(str(result['folder']))} --name NAME")


def show_synthesis(result: Mapping[str, Any]) -> None:
    """Show how many questions there are of each level, and what became of the others."""
    rows = [
        {"level": level, "asked for": count["asked"], "written": count["written"], "kept": count["kept"]}
        for level, count in result["levels"].items()
    ]
    print_rows(rows, left=("level",))
    say(f"about {counted(result['chunks'], 'chunk')} of {counted(result['documents'], 'document')}")
    notes = [
        (result["repeated"], "question", "repeated another of the same document and were left out"),
        (result["ungrounded"], "question", "quoted no sentence of their chunk and were not filtered"),
        *(
            (count, "reply", f"without the form asked for: {what}")
            for what, count in result["malformed"].items()
        ),
    ]
    if _said(result, notes, any_question=any(row["written"] for row in rows)):
        say(f"{result['folder'] / 'questions.parquet'} has them all, with the filter's reasons")
        if any(row["kept"] for row in rows):
            _show_recall(result["recall"])
            _say_review(result["folder"], f"torr synth accept {quote(str(result['folder']))} --to MIRROR")


def _said(result: Mapping[str, Any], notes: Sequence[tuple[int, str, str]], *, any_question: bool) -> bool:
    """Say what went wrong, and give whether there is a question nevertheless."""
    for count, what, why in notes:
        if count:
            say(f"{counted(count, what, 'replies' if what == 'reply' else f'{what}s')} {why}")
    if result["failed"]:
        say(f"{counted(result['failed'], 'request')} failed; --retry-failed sends them again")
    if not any_question:
        say(f"No reply has a question that can be read; the replies are in {result['folder'] / 'asked'}")
    return any_question


def _say_review(folder: Path, then: str) -> None:
    say(f"Review them in {folder / 'review.html'}, or in review.csv or review.xlsx beside it")
    say(f"Then: {then}")


def _show_recall(recall: Sequence[Mapping[str, Any]]) -> None:
    """Show TableQuest's Table 4, and the same by level."""
    rows = [
        {
            "answers": row["answers"],
            "questions": row["count"],
            "share": f"{row['share']:.1%}",
            "recall": format_interval(row["recall"], row["low"], row["high"]),
        }
        for row in recall
    ]
    print_rows(rows, left=["answers", "recall"])
    say_in_columns(
        "recall: the share of an answer's tokens that are in the sentence quoted for it, or else in its "
        "evidence; answers: their number of tokens, or the level; 95% intervals, a document being a "
        "cluster. A number that is worked out stands in no evidence, nor does one that is written in another "
        "way."
    )


def show_accepted(result: Mapping[str, Any], mirror: Path) -> None:
    """Show which data sets a review gave, and what runs them."""
    made = result["made"]
    rows = [
        {"type": kind, "asked": each.asked, "demonstrations": each.shown, "metric": each.metric}
        for kind, each in made.items()
    ]
    print_rows(rows, left=("type", "metric"))
    say(
        f"{result['accepted']:,} accepted, {result['changed']:,} changed; left out: {result['rejected']:,} "
        f"rejected, {result['unreviewed']:,} not reviewed"
    )
    kept = {*result["kept"], *(path for each in made.values() for path in each.kept)}
    for path in (*(each.card for each in made.values()), *result["recipes"]):
        say(f"{path}{' (was there: left as it is)' if path in kept else ''}")
    for path in result["recipes"]:
        say(f"{next_command(mirror)}torr run {quote(str(path))}")


def show_accepted_questions(result: Mapping[str, Any], mirror: Path) -> None:
    """Show what of a review the cards of TableQuest read, and what runs them."""
    _show_recall(result["recall"])
    taken, unreviewed = result["unreviewed_taken"], result["unreviewed"]
    say(f"{result['accepted']:,} accepted, {result['changed']:,} changed")
    if taken:
        say(f"{counted(unreviewed, 'question')} taken that nobody reviewed (--all-kept)")
    say(
        f"left out: {result['rejected']:,} rejected, {0 if taken else unreviewed:,} not reviewed, "
        f"{result['dropped']:,} dropped by the filter"
    )
    levels = ", ".join(f"{count:,} {level}" for level, count in result["questions"].items())
    say(f"{result['folder']}: {counted(result['documents'], 'document')}, {levels}")
    cards = ",".join(f"tablequest.{level}" for level in result["questions"])
    some = "" if len(result["questions"]) == 3 else f" --cards {cards}"
    say(f"{next_command(mirror)}torr run tablequest{some}")
