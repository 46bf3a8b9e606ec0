"""Writes the rules of spaCy's English tokenizer: ``python -m tests.scoring.english_rules``."""

from __future__ import annotations

import json
from importlib.metadata import distribution
from pathlib import Path

from torr_plugin.scoring.metrics import english_tokens


def rules() -> dict[str, object]:
    import spacy
    from spacy.symbols import ORTH

    tokenizer = spacy.blank("en").tokenizer
    assert tokenizer.token_match is None
    assert tokenizer.faster_heuristics
    licence = next(path for path in distribution("spacy").files or () if path.name == "LICENSE")
    return {
        "source": "spaCy 3.8, rules of spacy.blank('en').tokenizer",
        "licence": Path(str(licence.locate())).read_text(encoding="utf-8"),
        "prefix": tokenizer.prefix_search.__self__.pattern,
        "suffix": tokenizer.suffix_search.__self__.pattern,
        "infix": tokenizer.infix_finditer.__self__.pattern,
        "url": tokenizer.url_match.__self__.pattern,
        "specials": {
            text: [token[ORTH] for token in tokens] for text, tokens in sorted(tokenizer.rules.items())
        },
    }


if __name__ == "__main__":
    path = Path(english_tokens.__file__).with_suffix(".json")
    path.write_text(json.dumps(rules(), ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
