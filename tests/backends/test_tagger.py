"""Parts of speech and lemmas by spaCy: a package or a folder."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import spacy

from backends.embeddings.spacy_and_word_vectors import SMALL_TAGGER, SpacyTagger, make_tagger
from backends.errors import BackendUnavailable


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline in a folder with an arbitrary name."""
    pipeline = spacy.blank("en")
    pipeline.meta["name"], pipeline.meta["version"] = "core_web_lg", "1.2.3"
    place = tmp_path_factory.mktemp("tagger") / "model"
    pipeline.to_disk(place)
    return place


def test_the_installed_package_tags() -> None:
    tagger = make_tagger(SMALL_TAGGER)
    assert tagger.baseline and tagger.name.startswith(SMALL_TAGGER)
    assert ("dog", "NOUN") in tagger.words("A dog runs.")
    assert tagger.lemma("dogs") == "dog"


def test_parts_of_speech_and_lemmas_are_those_of_the_whole_pipeline() -> None:
    """Some depend on the parser: "has" and "are" are verbs or auxiliaries."""
    whole, tagger = importlib.import_module(SMALL_TAGGER).load(), make_tagger(SMALL_TAGGER)
    text = (
        "He has a book, which is red. There are boats that are tied up. It has been raining; each one is wet."
    )
    assert tagger.words(text) == [(token.text, token.pos_) for token in whole(text)]
    assert ("has", "VERB") in tagger.words(text) and ("has", "AUX") in tagger.words(text)
    words = ("boats", "tied", "raining", "Is", "better")
    assert [tagger.lemma(word) for word in words] == [whole(word)[0].lemma_ for word in words]


def test_a_folder_is_named_by_its_meta_data(folder: Path) -> None:
    tagger = SpacyTagger(str(folder))
    assert tagger.name == "en_core_web_lg 1.2.3" and not tagger.baseline
    assert [word for word, _ in tagger.words("A dog runs.")] == ["A", "dog", "runs", "."]


@pytest.mark.parametrize("spec", ["no_such_pipeline", "../nowhere", "os.path"])
def test_what_is_no_pipeline_says_what_to_type(spec: str) -> None:
    with pytest.raises(BackendUnavailable, match="pip install spacy"):
        make_tagger(spec)
