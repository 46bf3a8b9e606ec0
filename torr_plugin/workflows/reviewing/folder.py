"""The folder that a command writes its record and its questions to, and goes on with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ...core.atomic_files import read_error, write_atomically
from ...core.errors import InputError, RunError


@dataclass(frozen=True)
class WorkFolder:
    """What a command keeps of its work.

    Attributes:
        path: the folder.
        record_file: the record's name.
        command: writes the folder.
        format: the record's version.
        fixed: the fields of the record that stay the same, name -> why another ``--out`` is needed.
    """

    path: Path
    record_file: str
    command: str
    format: int
    fixed: Mapping[str, str]

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write the record.

        Raises:
            RunError: it cannot be written, or what is there was made otherwise.
        """
        path = self.path / self.record_file
        if path.exists():
            before = self.read_record()
            for name, why in self.fixed.items():
                if before.get(name) != record[name]:
                    version = "version " if name == "prompts" else ""
                    raise RunError(
                        f"{path}: {name}: found {version}{before.get(name)!r}, now {record[name]!r}; choose "
                        f"another --out, so that {why} do not mix"
                    )
        text = yaml.safe_dump(dict(record), sort_keys=False, allow_unicode=True)
        write_atomically(path, text.encode("utf-8", "replace"))

    def read_record(self) -> Mapping[str, Any]:
        """What the record says.

        Raises:
            RunError: there is none, it cannot be read, or another version wrote it.
        """
        path = self.path / self.record_file
        try:
            record = yaml.safe_load(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(
                f"{self.path}: no {self.record_file}; expected a folder that {self.command!r} wrote"
            ) from None
        except OSError as error:
            raise read_error(path, error) from error
        except (yaml.YAMLError, UnicodeDecodeError):
            raise RunError(f"{path}: is not YAML; expected what {self.command!r} wrote") from None
        if not isinstance(record, dict) or record.get("format") != self.format or "prompts" not in record:
            raise RunError(
                f"{path}: is no record of format {self.format}; expected what {self.command!r} wrote"
            )
        return record

    def lines(self, name: str) -> list[dict[str, Any]]:
        """The rows of a file of JSON lines.

        Raises:
            RunError: there is none, or it cannot be read.
        """
        path = self.path / name
        try:
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        except FileNotFoundError:
            raise RunError(
                f"{path}: is not there; the same {self.command!r} writes it when it ends"
            ) from None
        except OSError as error:
            raise read_error(path, error) from error
        except (ValueError, InputError):
            raise RunError(f"{path}: is not JSON lines; expected what {self.command!r} wrote") from None


def as_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode("utf-8", "replace")
