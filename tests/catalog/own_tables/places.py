"""A folder with two tables and three questions, as a person would have it."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.catalog.own_tables import DataAndCard, Tables, make_data_set

QUESTIONS = """\
id,table,question,answer,split
q1,rivers,How long is the Heron?,"1,205",test
q2,rivers.csv,In which country is the Linden?,Südmark,test
q3,ferries,In which year had the line North more passengers?,2022,train
"""
COMMAND = ("data", "make", "towns", "--tables", "tables", "--questions", "questions.csv")


def fill(place: Path) -> None:
    """Put tables and questions into a folder."""
    tables = place / "tables"
    tables.mkdir()
    (tables / "rivers.csv").write_bytes(
        '\ufeffRiver,Country,"Length, km"\r\nHeron,Norland,"1,205"\r\n\r\nLinden,Südmark,733\r\n'.encode()
    )
    (tables / "ferries.tsv").write_text("Line\tYear\tPassengers\nNorth\t2021\t18,200\nNorth\t2022\t19,750\n")
    (place / "questions.csv").write_text(QUESTIONS)


def made(place: Path, name: str = "towns") -> DataAndCard:
    """What is made of that folder."""
    tables, questions = Tables(place / "tables"), place / "questions.csv"
    return make_data_set(name, questions, tables, place / "data", beside=place, licence="CC0-1.0")
