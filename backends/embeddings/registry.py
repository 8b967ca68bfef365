"""Create the embedding engine that a name selects."""

from __future__ import annotations

from backends.embeddings.normalise_and_average import BASELINE
from backends.errors import UsageError
from backends.protocols import Asked, JointEmbeddings

SHAPES = "baseline, http://host:port/v1#model, or a name or folder of sentence-transformers"


def joint_embeddings(spec: str, asked: Asked) -> JointEmbeddings:
    """Return the engine that `spec` names; `asked` holds the prompts for engines that use them.

    Raises UsageError for an unknown kind, BackendUnavailable for an engine that cannot start.
    """
    kind = check_spec(spec)
    if kind == BASELINE:
        from backends.embeddings.colour_baseline import ColourWords

        return ColourWords()
    if kind == "server":
        from backends.embeddings.openai_embeddings import ServedEmbeddings

        return ServedEmbeddings(spec, asked)
    from backends.embeddings.clip_model import ClipModel

    return ClipModel(spec)


def check_spec(spec: str) -> str:
    """Return `baseline`, `server` or `model`. Raises UsageError; starts and loads nothing."""
    if not spec.strip():
        raise UsageError(f"name the embedder: {SHAPES}")
    kind = spec.partition(":")[0].lower()
    if kind in ("http", "https"):
        return "server"
    if kind in ("vllm", "vllm-engine"):
        model = spec.partition(":")[2] or "MODEL"
        raise UsageError(
            f"embeddings need a running server; type: vllm serve {model} --runner pooling --port 8000, "
            f"then write http://127.0.0.1:8000/v1#{model}"
        )
    return BASELINE if spec.lower() == BASELINE else "model"
