"""Jobs for the Ray executor without a run directory."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.ray.executor import ray_executor
from torr_plugin.running.ray.pool import PoolRules
from torr_plugin.running.request_sources import ListedRequests, PendingRequest
from torr_plugin.running.runner import AskedModel
from torr_plugin.running.store.shards import AnswerStore

LEAN = "tests.serial.ray.lean_model:load"


def job(entry, count=40):
    asked = (PendingRequest(f"{entry.label}-{n}", (Message("user", f"say w{n}"),)) for n in range(count))
    return AskedModel(entry, {"max_tokens": 5}, ListedRequests(asked), AnswerStore(Path("unused")))


def entry(name, ray=None, **args):
    return ModelEntry(model="torr-lean", name=name, ray=ray or {}, args=args)


def run(jobs, *, each=lambda label, given: None, rules=None):
    """What the executor gives: answers by label, errors of models by label."""
    answers, errors = defaultdict(list), {}
    with ray_executor(loader=LEAN, rules=rules or PoolRules(chunk=16)) as asking:
        for label, given in asking(jobs):
            if not given:
                continue
            each(label, given)
            if isinstance(given, Exception):
                assert label not in errors
                errors[label] = given
            else:
                answers[label] += given
    return answers, errors


def words(answers):
    """The words that were answered; fails where a key is answered twice."""
    keys = [answer.key for answer in answers]
    assert len(keys) == len(set(keys))
    return {answer.prediction.split()[-1] for answer in answers if answer.error is None}


def all_words(count):
    return {f"w{n}" for n in range(count)}


def processes(answers):
    return {answer.prediction.split()[0] for answer in answers if answer.error is None}


def nodes_of(answers):
    return {answer.prediction.split()[2] for answer in answers if answer.error is None}


def span(answers):
    times = [float(answer.prediction.split()[1]) for answer in answers]
    return min(times), max(times)
