"""Kept models are loaded once, released when idle, and loaded again; models in use are kept."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest

from annotation.systems.carebench.split_checks import tagging
from backends import idle_models
from backends.embeddings.spacy_and_word_vectors import SMALL_TAGGER, SpacyTagger, _pipeline
from backends.idle_models import KeptModel


class Model:
    """An object with a reference cycle, as in models."""

    def __init__(self) -> None:
        self.own = self


def wait_for_release(kept: KeptModel[object]) -> None:
    end = time.monotonic() + 20
    while kept.is_here:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_model_is_released_after_a_while_without_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_models, "IDLE_S", 1.0)
    kept: KeptModel[object] = KeptModel(Model)
    first = kept.get()
    there = weakref.ref(first)
    for _ in range(8):
        time.sleep(0.15)
        assert kept.get() is first, "used meanwhile"
    wait_for_release(kept)
    kept_by_a_call = there() is not None
    del first
    gc.collect()
    end = time.monotonic() + 20
    while there() is not None:  # the releasing thread may still hold it
        assert time.monotonic() < end
        gc.collect()
    assert kept_by_a_call and kept.get() is not None
    assert not [one for one in threading.enumerate() if isinstance(one, threading.Timer) and not one.daemon]
    wait_for_release(kept)


def test_pipelines_of_spacy_are_released_and_read_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_models, "IDLE_S", 0.2)
    # Models that other tests have loaded keep the usual timeout.
    monkeypatch.setattr(tagging, "PIPELINE", KeptModel(tagging.PIPELINE._load))
    _pipeline.cache_clear()
    text = "A paper boat drifts slowly down the stream."
    for kept, read in (
        (tagging.PIPELINE, lambda: tagging.tagged(text)),
        (_pipeline(SMALL_TAGGER), lambda: SpacyTagger(SMALL_TAGGER).words(text)),
    ):
        wait_for_release(kept)
        before = read()
        assert kept.is_here
        wait_for_release(kept)
        tagging.forget()
        assert read() == before
        wait_for_release(kept)
