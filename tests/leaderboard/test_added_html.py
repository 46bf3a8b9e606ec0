"""HTML of plugins' sections: written anew from what is known, or refused."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard.added_html import added_html

FINE = '<div class="scroll" tabindex="0"><table><tr><th scope="row">a</th><td>1</td></tr></table></div>'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (FINE, FINE),
        ("<P CLASS=a>1 &lt; 2 & 3<br/>&#x202e;</P>", '<p class="a">1 &lt; 2 &amp; 3<br>⌈U+202E⌋</p>'),
        ("<p>a<!-- </p><script> -->b</p>", "<p>ab</p>"),
        ('<a href="https://example.org/?a=1&amp;b">x</a>', '<a href="https://example.org/?a=1&amp;b">x</a>'),
        ('<a href="#leaderboard">x</a>', '<a href="#leaderboard">x</a>'),
        ('<img src="data/menus/a.svg" alt>', '<img src="data/menus/a.svg" alt="">'),
        ("a < b", "a &lt; b"),
    ],
)
def test_what_is_known_stays(text: str, written: str) -> None:
    assert added_html(text) == written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<script>alert(1)</script>", "found <script>"),
        ("<p>a<style>*{display:none}", "found <style>"),
        ("<plaintext>", "found <plaintext>"),
        ('<meta http-equiv="refresh" content="0;url=//x">', "found <meta>"),
        ('<svg onload="alert(1)">', "found <svg>"),
        ("<iframe src='//x'>", "found <iframe>"),
        ('<p onclick="alert(1)">', "the attribute 'onclick' of <p>"),
        ('<p style="position:fixed">', "the attribute 'style' of <p>"),
        ('<p id="leaderboard">', "the attribute 'id' of <p>"),
        ('<a href="java&#9;script:alert(1)">', "as href of <a>, expected http"),
        ('<a href=" JavaScript:alert(1)">', "as href of <a>, expected http"),
        ('<a href="data:text/html,x">', "as href of <a>, expected http"),
        ('<img src="https://example.org/pixel.png">', "as src of <img>, expected a file of the site"),
        ('<img src="//example.org/pixel.png">', "as src of <img>, expected a file of the site"),
        ("<div><p>a</p>", "<div> is not closed"),
        ("<p>a</p></section></main>", "</section> does not close what was opened last"),
        ("<b><i>a</b></i>", "</b> does not close what was opened last"),
    ],
)
def test_the_rest_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        added_html(text)


class Tags(HTMLParser):
    """The elements and attributes that a text opens."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(name for name, _ in attrs)}


PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<a ",
        "href=",
        "'",
        '"',
        ">",
        "<",
        "/>",
        "<!--",
        "-->",
        "<![CDATA[",
        "<?",
        "script",
        "&lt;",
        "=",
        " ",
        "x",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_it_is_nothing_else_comes_out(text: str) -> None:
    try:
        written = added_html(text)
    except ValueError:
        return
    tags = Tags()
    tags.feed(written)
    tags.close()
    assert tags.found <= {"p", "a", "href"}
    assert added_html(written) == written
