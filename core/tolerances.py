"""What a number may be off by, for nothing but a computer's rounding: shares of the largest number."""

ROUNDING = 1e-12  # after one step
ADDED_ROUNDINGS = 1e-9  # after many steps
ROUNDING_OF_SUMS = 1e-5  # of a sum of weights, by which it may miss 1
