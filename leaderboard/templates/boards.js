{% from "macros/board.html" import board_rows with context %}
{% set found = [] %}
{% for part in parts %}
{% set added = found.append([board_rows(part) | string, part.notes]) %}
{% endfor %}
{{ found | packed(page.path) }}
