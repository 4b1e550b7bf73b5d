"""The rooms of the attention classroom: the mechanism, its inputs, its charts and its screens."""
