"""Texts that would run, break out, mislead or climb if a page took them for more than text.

Each that could run sets ``window.pwned``; each that could ask for something asks ``https://pwned.invalid``.
"""

from __future__ import annotations

RUN = "window.pwned=1"
AWAY = "https://pwned.invalid"

HTML = (
    f"<script>{RUN}</script>",
    f"<ScRiPt>{RUN}</sCrIpT>",
    f"<script src={AWAY}/x.js></script>",
    f"</script><script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"</textarea></pre></td></table><script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<img src={AWAY}/pixel.png>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<math><mtext></mtext><mglyph><style><img src onerror={RUN}>",
    f"<body onload={RUN}>",
    f"<iframe src=javascript:parent.{RUN}></iframe>",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f"<object data={AWAY}></object><embed src={AWAY}>",
    f"<link rel=stylesheet href={AWAY}/x.css>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<base href={AWAY}/>",
    f"<form action={AWAY}><button autofocus>go</button></form>",
    f"<details open ontoggle={RUN}>",
    f"<video><source onerror={RUN}></video>",
    f"<a href=javascript:{RUN} autofocus onfocus={RUN}>x</a>",
    f"<style>@import '{AWAY}/x.css'; * {{ display: none }}</style>",
    f"<template><img src=x onerror={RUN}></template>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    "<!-- a comment that does not end",
    f"--><img src=x onerror={RUN}><!--",
    "<![CDATA[ <b>",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"&#60;img src=x onerror={RUN}&#62;",
    "<plaintext>",
)
ATTRIBUTES = (
    f'" onmouseover="{RUN}" x="',
    f"' onfocus='{RUN}' autofocus tabindex='0",
    f'"><img src=x onerror={RUN}>',
    f"`onerror={RUN}`",
    f'" style="background:url({AWAY})" x="',
    "\" data-sortable data-chart='x' data-specification='x' id=\"main\" x=\"",
)
SCRIPT = (
    f"';{RUN};//",
    f'";{RUN};//',
    f"\\';{RUN};//",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"\u2028{RUN}\u2029",
    f'"}});{RUN};({{"',
    f"'));{RUN};torr.put('x',JSON.parse('1",
    f"${{{RUN}}}",
    "</script",
    "<!--<script>",
    "\\",
    "*/ /*",
)
TEMPLATES = (
    "{{ 7 * 7 }}",
    "{% raw %}{{ study }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{# no comment",
    "${7*7} #{7*7} <%= 7*7 %>",
)
ADDRESSES = (
    f"javascript:{RUN}",
    f"JaVaScRiPt\t:{RUN}",
    f"java\nscript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"vbscript:{RUN}",
    f"{AWAY}/page",
    "//pwned.invalid/page",
    "%2e%2e%2f%2e%2e%2fup",
    "%3Cscript%3Ewindow.pwned=1%3C/script%3E",
    "#main&sort=pwned=1",
    "?x=1#y",
    "a b+c&d=e%",
)
FILES = (
    "../../../up",
    "..\\..\\up",
    "/etc/passwd",
    "C:\\up",
    "..",
    ".",
    "...",
    "",
    " ",
    "CON",
    "nul.html",
    "aux",
    "a\x00b",
    "index",
    "index.html",
    "assets",
    "-rf",
    "~",
    "*?<>|:",
    "name." * 60,
    "ends with a dot.",
)
LOOKS = (
    "a\u202egnp.exe\u202c",
    "\u2066isolated\u2069",
    "\u200f\u061cright to left",
    "\x1b[31mred\x07",
    "\ufeff\u200bnothing",
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308",
    "漢字かな",
    "عربي עברית",
    "\r\n\r\nline ends",
    "\ufffe\uffff",
    "x" * 400,
)
VEGA = (
    "datum['x']",
    "datum.model",
    "rows",
    "a.b[0]['c']",
    "a\\.b",
    f'{{"signal": "{RUN}"}}',
    "{'signal': 'width'}",
    "warn(1)",
    f"event.view.eval('{RUN}')",
    "model",
)
NAMES = (
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "null",
    "undefined",
    "NaN",
    "0",
    "true",
)
SHEETS = (
    "=1+1",
    '=HYPERLINK("https://pwned.invalid","x")',
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    'a,b"c',
)
STYLES = ("}; * { display: none } /*", f"expression({RUN})", f"url({AWAY})", "; position: fixed; inset: 0")
HALVES = ("\ud800", "x\udc00y")
"""Half a character: no Parquet file can hold it, YAML and JSON can."""

WORDS = HTML + ATTRIBUTES + SCRIPT + TEMPLATES + ADDRESSES + FILES + LOOKS + VEGA + NAMES + SHEETS + STYLES
