"""VDC's pool of caption prompts."""

from __future__ import annotations

from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.videos import Video
from annotation.systems.vdc.caption_prompt_pool import drawn, pool, pool_hash

PROMPTS = load_prompts()


def video(name: str, sha256: str | None = None) -> Video:
    return Video(id=name, title=name, created_at=0.0, sha256=sha256)


def test_the_pool_has_the_published_sizes_and_no_placeholder() -> None:
    sizes = {aspect: len(prompts) for aspect, prompts in pool().items()}
    assert sizes == {"camera": 16, "short": 16, "background": 16, "main_object": 16, "detailed": 24}
    words = [prompt for prompts in pool().values() for prompt in prompts]
    assert len(set(words)) == 88
    assert not any(sign in prompt for prompt in words for sign in "{}\n")
    assert len(pool_hash()) == len(PROMPTS["vdc_answer"].hash)


def test_a_video_draws_the_same_prompts_wherever_it_lies() -> None:
    first, second = drawn(PROMPTS, video("a", "f00d")), drawn(PROMPTS, video("b", "f00d"))
    for aspect in VDC_ASPECTS:
        prompt = first[f"vdc_caption_{aspect}"]
        assert prompt == second[f"vdc_caption_{aspect}"]
        assert prompt.system == "" and prompt.user.removeprefix("{pictures}\n") in pool()[aspect]
    assert first["vdc_answer"] == PROMPTS["vdc_answer"]


def test_all_prompts_are_drawn_by_some_video() -> None:
    found = {drawn(PROMPTS, video(str(n)))["vdc_caption_detailed"].user for n in range(400)}
    assert len(found) == 24
