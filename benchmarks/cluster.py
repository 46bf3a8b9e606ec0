"""The pool of replicas at scale: simulated, on a real Ray cluster on this machine, and its driver alone.

    python benchmarks/cluster.py simulate [--actors 8 64 512] [--failures none crashes poison] [--seed 0]
    python benchmarks/cluster.py ray [--actors 8] [--nodes 2] [--requests 2000] [--kills 2]
    python benchmarks/cluster.py driver [--requests 200000] [--characters 2000]

``simulate``: the real pool on a virtual clock (``cluster_simulation.py``), without failures; with
``crashes``: an actor crashes every 4 hours, of 64 actors a node of 8 is lost every 2 hours; with ``poison``
besides: one request of 20,000 kills its actor. Utilisation: the share of time that the engines' slots are
busy, once models can have loaded.
``ray``: the real executor on nodes that are processes of this machine, with an engine that only waits;
actors are killed on the way. ``driver``: how many requests a second one driver dispatches and stores, when
the actors answer at once. All print one JSON object a line.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster_simulation import Scenario, Simulation

HOUR = 3600.0
FAILURES = ["none", "crashes", "poison"]


def simulate(actors: int, seed: int, failures: str) -> dict[str, Any]:
    """One study of so many actors."""
    scenario = Scenario(actors)
    if failures != "none":
        scenario = replace(scenario, crash_every=4 * HOUR, node_every=2 * HOUR * 64 / actors)
    if failures == "poison":
        scenario = replace(scenario, poison=1 / 20_000)
    found = Simulation(scenario, seed).run()
    return {"failures": failures, **{name: round(value, 4) for name, value in found.items()}}


def load(entry: Any, generation: Any, models: Any) -> Any:
    """The engine inside an actor: waits instead of computing."""
    from cluster_engine import Waiting

    return Waiting(**entry.args)


def jobs(count: int, characters: int, **arguments: Any) -> list[Any]:
    """One model that is asked ``count`` requests."""
    from torr_plugin.prompts.message import Message
    from torr_plugin.recipes import ModelEntry
    from torr_plugin.running.request_sources import ListedRequests, PendingRequest
    from torr_plugin.running.runner import AskedModel
    from torr_plugin.running.store.shards import AnswerStore

    text = "x" * characters
    asked = (
        PendingRequest(f"{number:032x}", (Message("user", f"{number} {text}"),)) for number in range(count)
    )
    entry = ModelEntry(model="torr-waiting", args=arguments)
    return [AskedModel(entry, {}, ListedRequests(asked), AnswerStore(Path("unused")))]


def on_ray(actors: int, nodes: int, requests: int, kills: int, **arguments: Any) -> dict[str, Any]:
    """Run the real executor; fails where a request is lost or answered twice."""
    from ray.cluster_utils import Cluster

    from torr_plugin.running.answer import Answer
    from torr_plugin.running.ray.executor import ray_executor
    from torr_plugin.running.ray.pool import PoolRules
    from torr_plugin.running.store.shards import AnswerStore

    here = str(Path(__file__).resolve().parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for number in range(nodes):
        cluster.add_node(num_cpus=actors // nodes + (number < actors % nodes))
    keys: list[str] = []
    pids: set[int] = set()
    errors, chance, killed, first = 0, random.Random(0), 0, 0.0
    characters = int(arguments.pop("characters", 200))
    with (
        tempfile.TemporaryDirectory() as folder,
        ray_executor(
            cluster.address, rules=PoolRules(chunk=max(1, requests // actors // 4)), loader="cluster:load"
        ) as asking,
    ):
        store = AnswerStore.resume(Path(folder))
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        for _, given in asking(jobs(requests, characters, **arguments)):
            if isinstance(given, Exception):
                raise given
            answers: list[Answer] = given
            first = first or time.perf_counter()
            store.append(answers)
            keys += [answer.key for answer in answers]
            errors += sum(answer.error is not None for answer in answers)
            pids |= {int(answer.prediction) for answer in answers if answer.prediction}
            if killed < kills and len(keys) > requests * (killed + 1) / (kills + 2):
                killed += 1
                os.kill(chance.choice(sorted(alive(pids))), signal.SIGKILL)
        end, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    memory = [rss(pid) for pid in alive(pids)]
    cluster.shutdown()
    if sorted(keys) != sorted(set(keys)) or len(keys) != requests or errors:
        raise SystemExit(f"{len(keys)} answers of {requests}, {errors} errors: the executor is wrong")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "actors": actors,
        "processes_seen": len(pids),
        "requests": requests,
        "killed": killed,
        "seconds": round(end - start, 2),
        "seconds_to_first": round(first - start, 2),
        "requests_a_second": round(requests / (end - first), 1),
        "driver_cpu_us_a_request": round(cpu / requests * 1e6, 1),
        "driver_rss_mib": rss(os.getpid()),
        "worker_rss_mib": max(memory, default=0),
    }


def alive(pids: set[int]) -> set[int]:
    """Those of the processes that are still there."""
    return {pid for pid in pids if Path(f"/proc/{pid}").exists()}


def rss(pid: int) -> int:
    """Resident memory in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["simulate", "ray", "driver"])
    parser.add_argument("--actors", type=int, nargs="+")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--characters", type=int, default=2000, help="of a prompt, for 'driver'")
    parser.add_argument("--seconds", type=float, default=0.4, help="of an answer, for 'ray'")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--failures", choices=FAILURES, nargs="+", default=FAILURES)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for actors in args.actors or {"simulate": [8, 64, 512], "ray": [8], "driver": [2]}[args.what]:
        if args.what == "simulate":
            for failures in args.failures:
                print(json.dumps(simulate(actors, args.seed, failures)), flush=True)
        elif args.what == "ray":
            found = on_ray(actors, args.nodes, args.requests or 2000, args.kills, seconds=args.seconds)
            print(json.dumps(found), flush=True)
        else:
            count = args.requests or 200_000
            found = on_ray(actors, 1, count, 0, seconds=0.0, slots=4096, characters=args.characters)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
