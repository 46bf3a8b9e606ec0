"""A chat server on this machine, for models that are asked over the network."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Says = Callable[[list[dict[str, Any]]], "str | tuple[str, str] | None"]


@dataclass
class ChatServer:
    """What the server was asked, and where it listens."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)

    def arguments(self, **more: str) -> str:
        """``--model-args`` of lm-eval's ``local-chat-completions`` that ask it, one attempt a request."""
        given = {"base_url": self.url, "model": "served", "max_retries": "1", **more}
        return ",".join(f"{name}={value}" for name, value in given.items())


@contextmanager
def chat_server(
    says: Says = lambda messages: None, whole_body: Callable[[dict[str, Any]], str] | None = None
) -> Iterator[ChatServer]:
    """A server that answers each list of messages by ``says``, perhaps with a finish reason.

    Where that is None, its status is 500. ``whole_body`` answers by all that is sent, the seed say.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.asked.append(body)
            said = says(body["messages"]) if whole_body is None else whole_body(body)
            text, reason = said if isinstance(said, tuple) else (said, None)
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
            data = json.dumps({"choices": [choice]}).encode()
            self.send_response(500 if text is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = ChatServer(f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def text_of(messages: list[dict[str, Any]]) -> str:
    """All text of the messages, the parts of a list of contents included."""
    parts = [message["content"] for message in messages]
    return "\n".join(
        part if isinstance(part, str) else "\n".join(each.get("text", "") for each in part) for part in parts
    )
