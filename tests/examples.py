"""The worked examples of the lectures, whose figures the tests know.

Another folder in data/ is tested as far as every example can be: by tests/unit/test_presets.py.
"""

from core.presets import DATA, load_presets
from core.recipes import Recipe, content_of
from core.sharing import pack

LECTURES = ("animal_lookup", "emma_sentence", "i_love_coding", "random_qkv", "three_tokens")
PRESETS = {id: preset for id, preset in load_presets(DATA)[0].items() if id in LECTURES}


def tokens_in_link(count: int) -> str:
    """The link of one's own vectors with so many tokens, drawn with a seed."""
    return pack({"start": content_of(Recipe(tokens=tuple(f"t{number}" for number in range(count))))})
