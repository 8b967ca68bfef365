"""What a text says of the camera, against what was measured."""

from __future__ import annotations

import pytest

from annotation.systems.vript.camera_claims import camera_claim, camera_claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The camera pans slowly to the left.", {"pan_left"}),
        ("The camera pans right to follow a man who walks left.", {"pan_right"}),
        ("A slow pan from left to right", {"pan_right"}),
        ("Panning from the right to the left across the wall", {"pan_left"}),
        ("The camera tilts up", {"tilt_up"}),
        ("tilts from bottom to top", {"tilt_up"}),
        ("It zooms in on the boat.", {"zoom_in"}),
        ("slow zoom-out", {"zoom_out"}),
        ("The camera pulls back slowly", {"zoom_out"}),
        ("dolly in", {"zoom_in"}),
        ("The camera pans across the harbour", {"pan"}),
        ("The camera follows the boat", {"move"}),
        ("The camera stays still.", {"static"}),
        ("Static shot, the camera does not move.", {"static"}),
        ("No camera movement", {"static"}),
        ("The camera is static, then pans left.", {"static", "pan_left"}),
        ("handheld, shaky", {"shake"}),
        ("A boat on a lake.", set()),
        ("", set()),
    ],
)
def test_what_a_text_claims(text: str, claims: set[str]) -> None:
    assert camera_claims(text) == claims


@pytest.mark.parametrize(
    ("text", "label", "answer"),
    [
        ("The camera stays still.", "static", "agree"),
        ("The camera stays still.", "pan_right", "contradict"),
        ("The camera stays still.", "mixed", "contradict"),
        ("The camera pans to the left.", "pan_left", "agree"),
        ("The camera pans to the left.", "pan_right", "contradict"),
        ("The camera pans to the left.", "static", "contradict"),
        ("The camera pans to the left.", "tilt_up", "contradict"),
        ("The camera pans across the valley.", "pan_right", "agree"),
        ("The camera pans left, then tilts up.", "tilt_up", "cannot tell"),
        ("The camera is static, then pans left.", "static", "cannot tell"),
        ("The camera is static, then pans left.", "pan_left", "cannot tell"),
        ("The camera follows the boat.", "pan_right", "agree"),
        ("The camera zooms in slowly.", "zoom_out", "contradict"),
        ("The camera zooms in slowly.", "mixed", "cannot tell"),
        ("The camera stays still.", "shake", "cannot tell"),
        ("A shaky handheld shot.", "shake", "agree"),
        ("A shaky handheld shot.", "static", "cannot tell"),
        ("A boat on a lake.", "static", "cannot tell"),
        ("The camera pans left.", "", "cannot tell"),
        ("The camera pans left.", "unknown", "cannot tell"),
    ],
)
def test_against_the_measurement(text: str, label: str, answer: str) -> None:
    assert camera_claim(text, label) == answer
