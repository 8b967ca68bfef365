"""Contract of all engines of joint embeddings. Also runs without pytest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annotation.systems.carebench.recall_at_k import cosine
from backends.protocols import JointEmbeddings, Picture

TEXTS = ("A red boat.", "A blue sea.", "Nobody moves.")
LONG = "A red boat. " * 400


def plain(colour: tuple[int, int, int], height: int = 48) -> Picture:
    return np.full((height, 80, 3), colour, np.uint8)


RED, BLUE = plain((220, 30, 30)), plain((30, 80, 200), 64)


def obey(engine: JointEmbeddings, near: float = 1e-4) -> None:
    """Raises AssertionError. `near` is the maximum difference of equal inputs, per dimension."""
    assert engine.backend and engine.model and engine.how and engine.key and engine.concurrency >= 1
    said = engine.check()
    assert said and "\n" not in said
    texts = engine.texts(TEXTS)
    videos = engine.videos([[RED, RED, BLUE], [BLUE]])
    assert texts.rows.shape[0] == 3 and videos.rows.shape[0] == 2
    assert texts.rows.shape[1] == videos.rows.shape[1]
    cosine(texts.rows, videos.rows)  # raises an error for a zero vector
    _in_order(engine, texts.rows, videos.rows, near)
    assert len(texts.cut) in (0, 3) and not any(texts.cut)
    assert np.linalg.norm(videos.rows[0] - videos.rows[1]) > 1e-6
    long = engine.texts([TEXTS[0], LONG])
    assert long.rows.shape == (2, texts.rows.shape[1])
    assert not long.cut or not long.cut[0]


def _in_order(
    engine: JointEmbeddings, texts: NDArray[np.float64], videos: NDArray[np.float64], near: float
) -> None:
    """Embedding again, alone or in another order, gives the same vectors."""
    np.testing.assert_allclose(engine.texts(TEXTS[::-1]).rows[::-1], texts, atol=near)
    np.testing.assert_allclose(engine.texts([TEXTS[1]]).rows[0], texts[1], atol=near)
    np.testing.assert_allclose(engine.videos([[BLUE]]).rows[0], videos[1], atol=near)
