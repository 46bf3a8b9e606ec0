"""Requests a second to a chat server on this machine: our engine beside lm-eval's own ``generate_until``.

    python benchmarks/servers.py [--requests 6000] [--at-once 64] [--characters 4000] [--repeats 3]

The server runs in a process of its own and answers everything at once with the same text, so that what is
measured is the client: writing requests, talking HTTP, reading texts. Both ask the same prompts with the same
number of connections, in turns; the median of the repeats counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any

from torr_plugin.prompts.message import Message
from torr_plugin.running.contexts import Contexts
from torr_plugin.running.engines import EngineRequest
from torr_plugin.running.engines.server import server_engine
from torr_plugin.running.library_settings import without_progress_bars
from torr_plugin.running.registry import lm_class

GENERATION: dict[str, Any] = {"until": [], "temperature": 0.0, "do_sample": False, "max_gen_toks": 64}
BODY = json.dumps(
    {
        "choices": [{"index": 0, "message": {"content": "an answer"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 3},
    }
).encode()
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


class Answers(asyncio.Protocol):
    """The least that is an HTTP server: reads whole requests, sends the same reply to each."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.read = transport, b""

    def data_received(self, data: bytes) -> None:
        self.read += data
        while (size := self._whole()) is not None:
            self.read = self.read[size:]
            self.transport.write(REPLY)  # type: ignore[attr-defined]

    def _whole(self) -> int | None:
        head, found, _ = self.read.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        size = len(head) + 4 + length
        return size if len(self.read) >= size else None


def serve(tell: Connection) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0)
        tell.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def ours(lm: Any, contexts: list[Any], at_once: int) -> float:
    engine = server_engine(lm, {"num_concurrent": at_once})
    waiting = [EngineRequest(number, context, GENERATION) for number, context in enumerate(contexts)]
    started, count, place = time.perf_counter(), 0, 0
    while count < len(contexts):
        room = engine.room()
        engine.add(waiting[place : place + room])
        place += room
        count += len(engine.step())
    seconds = time.perf_counter() - started
    engine.close()
    return seconds


def theirs(lm: Any, contexts: list[Any]) -> float:
    from lm_eval.api.instance import Instance

    asked = [
        Instance("generate_until", {}, (context.text, {**GENERATION}), number)
        for number, context in enumerate(contexts)
    ]
    with without_progress_bars():
        started = time.perf_counter()
        texts = lm.generate_until(asked, disable_tqdm=True)
        seconds = time.perf_counter() - started
    assert texts == ["an answer"] * len(contexts)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--characters", type=int, default=4000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    arguments = {
        "base_url": f"http://127.0.0.1:{here.recv()}/v1/chat/completions",
        "model": "served",
        "num_concurrent": given.at_once,
    }
    lm = lm_class("local-chat-completions").create_from_arg_obj(arguments)
    made = Contexts(lm, chat=True)
    texts = [
        f"{number} {'| a cell ' * given.characters}"[: given.characters] for number in range(given.requests)
    ]
    contexts = [made.of((Message("user", text),)) for text in texts]
    seconds: dict[str, list[float]] = {"ours": [], "lm-eval": []}
    for _ in range(given.repeats):
        seconds["ours"].append(ours(lm, contexts, given.at_once))
        seconds["lm-eval"].append(theirs(lm, contexts))
    server.terminate()
    for name, each in seconds.items():
        rate = given.requests / statistics.median(each)
        print(f"{name}: {rate:.0f} requests/s ({', '.join(f'{one:.2f}' for one in each)} s)")


if __name__ == "__main__":
    main()
