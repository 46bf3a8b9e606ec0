"""What is secret among a model's arguments is neither stored nor shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.redaction import (
    NOT_RECORDED,
    masked,
    without_homes,
    without_homes_inside,
    without_secrets,
)
from torr_plugin.recipes.model_entries import parse_model_args

SECRETS = ("K1-hidden", "K2-hidden", "K3-hidden")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("model=m,api_key=K1-hidden,seed=1", "model=m,api_key=...,seed=1"),
        ("--model-args=api_key=K1-hidden", "--model-args=api_key=..."),
        ("aws_secret_access_key=K1-hidden,a=b", "aws_secret_access_key=...,a=b"),
        ('header={"A": "K1-hidden", "B": "K2-hidden, K3-hidden"},x=1', "header=...,x=1"),
        ('headers={"A":{"B":"K1-hidden"},"C":"K2-hidden"},z=1', "headers=...,z=1"),
        ('api_key="K1-hidden,K2-hidden",y=2', "api_key=...,y=2"),
        (
            '{"api_key": "K1-hid\\"den, K2-hidden", "headers": {"b": "K3-hidden"}, "model": "m"}',
            '{"api_key":..., "headers":..., "model": "m"}',
        ),
        (
            "base_url=https://a/v1?api_key=K1-hidden&x=1,model=m",
            "base_url=https://a/v1?api_key=...&x=1,model=m",
        ),
        ("base_url=https://a/v1?x=1&key=K1-hidden", "base_url=https://a/v1?x=1&key=..."),
        ("base_url=https://me:K1-hidden@a/v1", "base_url=https://...@a/v1"),
        ("base_url=https://me:K1-hidden@K2-hidden@a/v1?to=b@c", "base_url=https://...@a/v1?to=b@c"),
        ("header={left open K1-hidden", "header=..."),
        ("eos_token=</s>,max_tokens=4,monkey=1", "eos_token=</s>,max_tokens=4,monkey=1"),
        ("it's a study.yaml", "it's a study.yaml"),
    ],
)
def test_what_is_typed(typed: str, shown: str) -> None:
    assert masked(typed) == shown


def test_what_is_recorded() -> None:
    given = {
        "base_url": "https://me:K1-hidden@a/v1?sig=K2-hidden&api-version=1",
        "azure_ad_token": "K1-hidden",
        "header": {"X": "K2-hidden"},
        "more": [{"api_key": "K3-hidden", "top_k": 3}],
        "eos_token": "</s>",
    }
    assert without_secrets(given) == {
        "base_url": "https://...@a/v1?sig=...&api-version=1",
        "azure_ad_token": NOT_RECORDED,
        "header": NOT_RECORDED,
        "more": [{"api_key": NOT_RECORDED, "top_k": 3}],
        "eos_token": "</s>",
    }


VALUES = st.recursive(
    st.sampled_from(SECRETS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(("api_key", "header", "hf_token", "password")), VALUES, min_size=1))
def test_nothing_of_a_secret_is_left(secrets: dict[str, Any]) -> None:
    arguments = {"model": "m", **secrets, "seed": 1}
    line = ",".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in arguments.items()
    )
    assert parse_model_args(line) == arguments
    for typed in (line, json.dumps(arguments)):
        shown = masked(typed)
        assert "hidden" not in shown
        assert "seed" in shown
    assert "hidden" not in json.dumps(without_secrets(arguments))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/joe", "~"),
        ("pretrained=/home/joe/models/x,dtype=auto", "pretrained=~/models/x,dtype=auto"),
        ("/Users/joe/x and /home/ann", "~/x and ~"),
        ("/root/.cache/x: not there", "~/.cache/x: not there"),
        ("/gpfs/home/joe/x", "~/x"),
        ("/nfs/eu/users/joe/x", "~/x"),
        ("file:///home/joe/x", "file://~/x"),
        ("C:\\Users\\joe\\x", "~\\x"),
        ("C:\\Users\\Joe Smith\\x", "~\\x"),
        ("'C:\\\\Users\\\\joe\\\\x'", "'~\\\\x'"),
        ("d:/users/joe/x", "~/x"),
        ('File "/home/joe/a.py", line 3', 'File "~/a.py", line 3'),
        ("(/home/joe)", "(~)"),
    ],
)
def test_home_folders_are_left_out(text: str, shown: str) -> None:
    assert without_homes(text) == shown
    assert without_homes(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/home/joe/x",
        "/data/root/x",
        "/roots/x",
        "models/home/joe",
        "../home/joe",
        "~/home/x",
        "/home",
        "/homeless/joe",
        "/opt/models/x",
        "org/model",
        "at home/work",
    ],
)
def test_what_is_no_home_folder_stays(text: str) -> None:
    assert without_homes(text) == text


def test_home_folders_inside_of_data_are_left_out() -> None:
    given = {"/home/joe": ["/home/joe/a", {"b": ("/root/c", 3, None)}]}
    assert without_homes_inside(given) == {"/home/joe": ["~/a", {"b": ["~/c", 3, None]}]}


@given(st.text())
def test_texts_without_a_slash_have_no_home_folder(text: str) -> None:
    plain = text.replace("/", "").replace("\\", "")
    assert without_homes(plain) == plain
