"""Parquet of others is read little at a time, and judged before it is unpacked."""

from __future__ import annotations

import io
from contextlib import suppress
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.running.answer import MOST_CHARACTERS
from torr_plugin.running.store import shard_reading as small
from torr_plugin.running.store.page_headers import Page, pages
from torr_plugin.running.store.shard_reading import small_tables

TEXT = pa.schema([("text", pa.string())])


def written(columns: dict[str, object], **options: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **{"compression": "zstd", "use_dictionary": False, **options})
    return buffer.getvalue()


def read(content: bytes, columns: tuple[str, ...] = ("text",)) -> list[pa.Table]:
    opened = io.BytesIO(content)
    with pq.ParquetFile(opened, read_dictionary=["text"]) as file:
        return list(small_tables(file, opened, columns))


def texts(tables: list[pa.Table]) -> list[str]:
    return [text for table in tables for text in table["text"].to_pylist()]


def found_pages(content: bytes) -> list[Page]:
    group = pq.read_metadata(io.BytesIO(content)).row_group(0)
    return list(pages(io.BytesIO(content), group.column(0)))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pages_are_found_as_they_were_written(version: str, dictionary: bool) -> None:
    values = [f"text {n % 50}" for n in range(30_000)]
    content = written(
        {"text": values},
        data_page_version=version,
        use_dictionary=dictionary,
        data_page_size=5_000,
        write_page_checksum=True,
    )
    found = found_pages(content)
    assert [page.is_dictionary for page in found] == [dictionary] + [False] * (len(found) - 1)
    assert sum(page.values for page in found if not page.is_dictionary) == 30_000
    said = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0).total_uncompressed_size
    assert said * 0.8 < sum(page.size for page in found) < said
    assert texts(read(content)) == values


def test_a_header_of_any_length() -> None:
    """It may hold the least text of its page; here that is larger than what is read of a header first."""
    long = b"\x18" + _varint(300_000) + b"x" * 300_000  # the next field is a text
    data = b"\x15" + _varint(2 << 1) + b"\x4c" + long + b"\x00" + b"\x00"  # 2 values; statistics
    header = b"\x15\x00" + b"\x15" + _varint(70 << 1) + b"\x15" + _varint(5 << 1) + b"\x2c" + data + b"\x00"
    size = len(header) + 5
    column = mock.Mock(
        data_page_offset=4, has_dictionary_page=False, total_compressed_size=2 * size, num_values=4
    )
    content = b"PAR1" + 2 * (header + b"12345")
    assert list(pages(io.BytesIO(content), column)) == [Page(70, 2, is_dictionary=False)] * 2
    with pytest.raises(ValueError, match="a page's header has no end"):
        list(pages(io.BytesIO(content[:-1000]), column))


def test_long_texts_are_refused_before_they_are_unpacked() -> None:
    """Eight texts of 4 MiB, all different: some kilobytes on the disk."""
    content = written({"text": [f"{n:04d}" + "x" * (4 << 20) for n in range(8)]})
    assert len(content) < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(ValueError, match=r"\d+ of its rows would unpack to [\d,]+ bytes, column 'text'"):
        read(content)
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_what_the_footer_says_is_not_believed() -> None:
    """A page's header alone says what is taken in memory for it."""
    content = written({"text": ["x" * (4 << 20)]})
    size = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0).total_uncompressed_size
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[begin:-8].replace(_varint(size << 1), _varint(1000 << 1))
    lying = content[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    assert pq.read_metadata(io.BytesIO(lying)).row_group(0).column(0).total_uncompressed_size == 1000
    with pytest.raises(ValueError, match="1 of its rows would unpack to 4,19"):
        read(lying)


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def test_texts_that_rows_refer_to() -> None:
    content = written(
        {"text": ["x" * (20 << 20)] * 3}, use_dictionary=True, dictionary_pagesize_limit=1 << 30
    )
    with pytest.raises(ValueError, match="a page that rows refer to would unpack to 20,9"):
        read(content)


def test_the_longest_answers_are_read() -> None:
    """Of four bytes a character."""
    longest = "\U0001d11e" * MOST_CHARACTERS
    values = [f"{n}{longest}"[:MOST_CHARACTERS] for n in range(70)]
    for content in (written({"text": values}), written({"text": values}, row_group_size=7)):
        assert texts(read(content)) == values


def test_few_rows_at_a_time_where_they_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only in the row group that has them, and wherever in it they lie."""
    monkeypatch.setattr(small, "EASY_BYTES", 3 << 20)
    values = ["short"] * 10_000
    values[7_000:7_100] = ["x" * 50_000] * 100
    tables = read(written({"text": values}, row_group_size=5_000))
    sizes = [table.num_rows for table in tables]
    assert sizes[:3] == [small.ROWS, small.ROWS, 5_000 - 2 * small.ROWS]
    assert max(sizes[3:]) <= small.FEW_ROWS
    assert texts(tables) == values
    # as much in all, but little at once
    spread = ["x" * 100] * 50_000
    assert {table.num_rows for table in read(written({"text": spread}))} == {small.ROWS, 50_000 % small.ROWS}


def test_the_most_that_rows_can_lie_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "ROWS", 10)

    def most(*found: tuple[int, int]) -> int:
        return small._most_of_rows(Page(size, values, is_dictionary=False) for size, values in found)

    assert most((5, 100)) == 5
    assert most((5, 100), (7, 100), (2, 100)) == 12
    assert most((5, 1), (5, 8), (5, 1)) == 15
    assert most((5, 1), (5, 9), (5, 1)) == 10
    assert most((1, 1), *[(1, 1)] * 30) == 10
    assert small._most_of_rows([Page(5, 3, is_dictionary=True), Page(1, 9, is_dictionary=False)]) == 6


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pa.array(["x" * 1000] * 3), "its column 'other' is string"),
        (pa.array([["x"]] * 3), "its column 'other' is list"),
        (pa.array([b"xyz"] * 3, pa.binary(3)), "its column 'other' is fixed_size_binary"),
        (pa.array([{"a": 1}] * 3), "its column 'other' is struct"),
    ],
)
def test_columns_that_are_not_what_is_expected(values: pa.Array, said: str) -> None:
    """A text where a number is expected would be written out for every row that refers to it."""
    with pytest.raises(ValueError, match=said):
        read(written({"text": ["a"] * 3, "other": values}), ("text", "other"))


def test_two_columns_of_one_name() -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"]), buffer)
    with pytest.raises(ValueError, match="has more than one column 'text'"):
        read(buffer.getvalue())


def test_damaged_headers_end_in_one_line() -> None:
    """Whatever a byte is changed to: found, or a ValueError, never another and never no end."""
    content = written({"text": [f"text {n}" for n in range(20)]})
    column = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0)
    for place in range(column.data_page_offset, column.data_page_offset + 40):
        for byte in (0, 1, 0x19, 0x1C, 0x5C, 0x7F, 0xFF):
            damaged = bytearray(content)
            damaged[place] = byte
            with suppress(ValueError):
                assert len(list(pages(io.BytesIO(damaged), column))) <= 200
