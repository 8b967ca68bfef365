"""Contract of engines that read text in pictures, and results of RapidOCR."""

from __future__ import annotations

import json
import socket

import cv2
import numpy as np
import pytest

from backends.errors import UsageError
from backends.ocr.registry import DEFAULT, NONE, text_reader
from backends.protocols import Picture, TextReader

WIDTH, HEIGHT = 960, 540


def slide(*lines: tuple[str, float], ground: int = 245) -> Picture:
    """Dark words on a light background, each at a share of the height."""
    picture = np.full((HEIGHT, WIDTH, 3), ground, np.uint8)
    for text, at in lines:
        where = (WIDTH // 10, round(at * HEIGHT))
        cv2.putText(picture, text, where, cv2.FONT_HERSHEY_DUPLEX, 1.6, (20, 20, 60), 3, cv2.LINE_AA)
    return picture


@pytest.fixture(params=[DEFAULT, NONE])
def reader(request: pytest.FixtureRequest) -> TextReader:
    return text_reader(request.param)


def test_an_engine_says_who_it_is(reader: TextReader) -> None:
    assert reader.name and "\n" not in reader.check()
    assert json.loads(json.dumps(reader.params)) == dict(reader.params)


def test_a_picture_without_text_has_no_lines(reader: TextReader) -> None:
    assert reader.read(slide()) == () == reader.read(np.zeros((40, 30, 3), np.uint8))


def test_lines_have_a_score_and_a_place_inside_the_picture(reader: TextReader) -> None:
    for line in reader.read(slide(("Chapter one", 0.3), ("Edge of the picture", 0.99))):
        left, top, right, bottom = line.box
        assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1
        assert 0 <= line.score <= 1 and line.text == line.text.strip() != ""


def test_what_is_written_is_read_where_it_stands() -> None:
    found = text_reader(DEFAULT).read(slide(("Second 42 km", 0.8), ("First line", 0.3)))
    assert [line.text for line in found] == ["First line", "Second 42 km"]
    left, top, right, bottom = found[1].box
    assert left < 0.12 and 0.3 < right < 0.7 and top < 0.78 < bottom < 0.9


def test_single_letters_are_left_out() -> None:
    assert text_reader(DEFAULT).read(slide(("A", 0.5))) == ()


def test_nothing_is_asked_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert text_reader(DEFAULT).read(slide(("Offline", 0.5)))[0].text == "Offline"


def test_an_unknown_engine_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"no engine 'tesseract'.*rapidocr, none"):
        text_reader("tesseract")
