"""The colours of heatmaps, the ink that can be read on them, and the words for both ends."""

SEQUENTIAL = ["#f7fcf5", "#c7e9c0", "#74c476", "#238b45", "#00441b"]  # of weights, from 0 to 1
NO_WEIGHT, ALL_WEIGHT = "white", "dark green"
BAR = SEQUENTIAL[3]  # of a weight in a bar chart

# Around 0, which is their middle.
DIVERGING = ["#08519c", "#4292c6", "#c6dbef", "#f7f7f7", "#fdd0a2", "#f16913", "#a63603"]
ZERO = DIVERGING[len(DIVERGING) // 2]
NEGATIVE, POSITIVE = "blue", "orange"

MASKED_FILL, MASKED_EDGE = "#d4d4d4", "#8c8c8c"
MARKED_EDGE, SYMPTOM_EDGE = "#d6007a", "#d32f2f"

# Each ink is where its contrast with the fill is at least 4.5: the light one beyond these shades.
DARK_INK, LIGHT_INK, MASKED_INK = "#000000", "#ffffff", "#4a4a4a"
LIGHT_ABOVE_WEIGHT, LIGHT_BELOW, LIGHT_ABOVE = 0.76, -0.785, 0.835
