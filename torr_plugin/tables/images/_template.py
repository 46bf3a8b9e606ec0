"""The typst program that draws a table.

It is the same for every table: the table is data (JSON) that it reads, so nothing in a cell can be code.
"""

from __future__ import annotations

TEMPLATE = b"""
#let data = json(bytes(sys.inputs.table))
#set page(width: auto, height: auto, margin: 8pt, fill: white)
#set text(size: 10pt, fill: black, lang: "en", hyphenate: false)
#set par(leading: 0.45em, justify: false)
#let lines(texts) = texts.map(text).join(linebreak())
#let room(width, body) = if width == none { body } else { block(width: width * 1pt, body) }
#let sides = (left: left, center: center, right: right)
#let shown(cell) = table.cell(
  x: cell.x, y: cell.y, rowspan: cell.rowspan, colspan: cell.colspan,
  align: sides.at(cell.align) + horizon,
  fill: if cell.head and data.borders { luma(238) } else { none },
  room(cell.width, if cell.head { strong(lines(cell.lines)) } else { lines(cell.lines) }),
)
#let grid = table(
  columns: (auto,) * data.columns,
  inset: (x: 5pt, y: 4pt),
  stroke: if data.borders { 0.5pt + luma(90) } else { none },
  ..data.cells.map(shown),
  ..data.rules.map(y => table.hline(y: y, stroke: 0.8pt)),
)
#let beside(texts) = context block(width: calc.max(measure(grid).width, 160pt), lines(texts))
#if data.title.len() > 0 { text(weight: "bold", beside(data.title)) }
#grid
#for note in data.notes { text(size: 8.5pt, beside(note)) }
"""
