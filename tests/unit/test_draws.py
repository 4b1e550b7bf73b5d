"""Numbers drawn from a seed are NumPy's own, and the variance of their scores grows with d_k."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.draws import (
    BINS,
    DRAWS,
    MOST_DRAWN,
    MOST_WIDTH,
    WIDTHS,
    drawn,
    histogram,
    sharpness,
    spreads,
)

RANDOM = json.loads((Path(__file__).parents[1] / "reference" / "random_qkv.json").read_text("utf-8"))
SEEDS = (0, 1, 42)

every_seed = pytest.mark.parametrize("seed", SEEDS)
every_width = pytest.mark.parametrize("place", range(len(WIDTHS)), ids=[f"d_k={width}" for width in WIDTHS])


@pytest.mark.parametrize(("tokens", "d_k", "d_v", "seed"), [(4, 8, 8, 1), (1, 1, 1, 0), (3, 5, 2, 2**32 - 1)])
def test_the_numbers_of_a_seed_are_those_of_numpy_first_q_then_k_then_v(tokens, d_k, d_v, seed):
    numbers = np.random.default_rng(seed).standard_normal(tokens * (d_k + d_k + d_v))
    found = drawn(tokens, d_k, d_v, seed)
    first, second = tokens * d_k, 2 * tokens * d_k
    np.testing.assert_array_equal(found.query, numbers[:first].reshape(tokens, d_k))
    np.testing.assert_array_equal(found.key, numbers[first:second].reshape(tokens, d_k))
    np.testing.assert_array_equal(found.value, numbers[second:].reshape(tokens, d_v))


def test_the_first_numbers_of_seed_1_are_always_these():
    """Written out: a link says the seed alone, and has to show the same numbers after an upgrade."""
    found = drawn(2, 3, 1, 1)
    np.testing.assert_allclose(found.query[0], [0.34558419, 0.82161814, 0.33043708], rtol=0, atol=5e-9)
    np.testing.assert_allclose(found.key[0], [-0.53695324, 0.5811181, 0.3645724], rtol=0, atol=5e-9)


def test_another_seed_gives_other_numbers_and_the_same_one_the_same():
    first, other = drawn(4, 8, 8, 1), drawn(4, 8, 8, 2)
    drawn.cache_clear()
    again = drawn(4, 8, 8, 1)
    for name in ("query", "key", "value"):
        assert (getattr(first, name) != getattr(other, name)).all()
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_numbers_that_are_kept_for_the_next_one_who_asks_cannot_be_changed():
    found = drawn(2, 3, 1, 1)
    for numbers in (found.query, found.key, found.value):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0, 0] = 5


def test_spreads_that_are_kept_for_the_next_one_who_asks_cannot_be_changed():
    for spread in spreads(2, 1):
        for numbers in (spread.variances, spread.scaled_variances):
            with pytest.raises(ValueError, match="read-only"):
                numbers[0] = 5


def test_as_many_tokens_and_columns_as_can_be_asked_for_have_standard_normal_numbers():
    found = drawn(MOST_DRAWN, MOST_WIDTH, MOST_WIDTH, 1)
    for numbers in (found.query, found.key, found.value):
        assert numbers.shape == (64, 512)
        # five standard errors of a mean and of a variance of that many numbers
        assert abs(numbers.mean()) < 5 / math.sqrt(numbers.size)
        assert abs(numbers.var() - 1) < 5 * math.sqrt(2 / numbers.size)


@pytest.mark.parametrize(
    ("row", "largest", "bits"),
    [
        ([0, 0], 0.5, 1),
        ([7] * 8, 1 / 8, 3),
        ([5], 1, 0),
        ([1000, 0, 0], 1, 0),
        ([math.log(3), 0], 0.75, 2 - 0.75 * math.log2(3)),
        ([math.log(2), 0, 0], 0.5, 1.5),
    ],
)
def test_how_sharp_a_softmax_of_known_weights_is(row, largest, bits):
    found = sharpness(np.array([row], float))
    np.testing.assert_allclose(found.largest, [largest], rtol=1e-14)
    np.testing.assert_allclose(found.entropy, [bits], rtol=1e-14, atol=1e-300)


def test_sharpness_is_that_of_each_row_whatever_axes_come_before():
    scores = np.random.default_rng(0).standard_normal((2, 3, 4, 4))
    found = sharpness(scores)
    assert found.largest.shape == found.entropy.shape == (2, 3, 4)
    for place in np.ndindex(2, 3, 4):
        exponentials = [math.exp(score) for score in scores[place]]
        weights = [e / math.fsum(exponentials) for e in exponentials]
        assert found.largest[place] == pytest.approx(max(weights), rel=1e-13)
        assert found.entropy[place] == pytest.approx(-sum(w * math.log2(w) for w in weights), rel=1e-12)


def by_hand(seed, tokens):
    """The spreads of a seed in plain loops: for each width all queries of all draws, then all keys."""
    rng = np.random.default_rng(seed)
    for width in WIDTHS:
        query = rng.standard_normal((DRAWS, tokens, width))
        key = rng.standard_normal((DRAWS, tokens, width))
        yield width, [q @ k.T for q, k in zip(query, key, strict=True)]


@pytest.mark.parametrize(("tokens", "seed"), [(1, 0), (2, 42), (5, 1)])
def test_the_spreads_are_those_of_the_draws_of_their_seed(tokens, seed):
    for found, (width, draws) in zip(spreads(tokens, seed), by_hand(seed, tokens), strict=True):
        assert found.width == width
        np.testing.assert_allclose(
            found.variances, [np.var(scores) for scores in draws], rtol=1e-10, atol=1e-25
        )
        np.testing.assert_allclose(found.scaled_variances, found.variances / width, rtol=1e-10, atol=1e-25)
        for place, divisor in enumerate((1, math.sqrt(width))):
            rows = [row / divisor for scores in draws for row in scores]
            weights = [np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in rows]
            bits = [-sum(w * math.log2(w) for w in row.tolist() if w) for row in weights]
            assert found.largest[place] == pytest.approx(np.mean([max(row) for row in weights]), rel=1e-12)
            assert found.entropy[place] == pytest.approx(np.mean(bits), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("tokens", [1, 4, MOST_DRAWN])
def test_there_is_a_spread_of_so_many_draws_for_each_width(tokens):
    found = spreads(tokens, 1)
    assert tuple(spread.width for spread in found) == WIDTHS == tuple(2**n for n in range(10))
    assert WIDTHS[-1] == MOST_WIDTH == 512
    assert DRAWS == 20
    for spread in found:
        assert spread.variances.shape == spread.scaled_variances.shape == (20,)
        for means in (spread.largest, spread.entropy):
            assert len(means) == 2
            assert all(type(number) is float for number in means)


@every_seed
@every_width
def test_the_variance_of_scores_is_near_d_k_and_scaled_near_1(seed, place):
    """Within five standard errors of the mean of 20 draws of 64 tokens, which are 28 % of it at most.

    At d_k = 1 a draw's variance is about mean(q^2) mean(k^2), which deviates by sqrt(2 / 64 + 2 / 64) = 25 %;
    with d_k it deviates less, as 1 / sqrt(d_k).
    """
    found = spreads(MOST_DRAWN, seed)[place]
    within = 0.3 if found.width < 16 else 0.1
    assert found.variances.mean() == pytest.approx(found.width, rel=within)
    assert found.scaled_variances.mean() == pytest.approx(1, rel=within)
    np.testing.assert_allclose(found.scaled_variances, found.variances / found.width, rtol=1e-12)


@every_seed
def test_without_scaling_the_softmax_of_wider_vectors_is_sharper_and_with_it_is_not(seed):
    found = spreads(16, seed)
    wide = [spread for spread in found if spread.width >= 8]
    assert (np.diff([spread.largest[0] for spread in wide]) > 0).all()
    assert (np.diff([spread.entropy[0] for spread in wide]) < 0).all()
    assert wide[-1].largest[0] > 0.9
    assert wide[-1].entropy[0] < 0.4
    for scaled in ([s.largest[1] for s in wide], [s.entropy[1] for s in wide]):
        assert max(scaled) / min(scaled) < 1.2
    assert max(spread.entropy[1] for spread in found) <= 4


def test_of_width_1_scaling_changes_nothing():
    found = spreads(8, 1)[0]
    np.testing.assert_array_equal(found.variances, found.scaled_variances)
    assert found.largest[0] == found.largest[1]
    assert found.entropy[0] == found.entropy[1]


def test_one_token_alone_has_all_the_weight_and_no_variance():
    for spread in spreads(1, 1):
        assert (spread.largest, spread.entropy) == ((1, 1), (0, 0))
        np.testing.assert_array_equal(spread.variances, 0)


def test_a_histogram_counts_the_scores_in_equal_bins_around_0():
    scores = np.array([[-24.0, 24], [0.5, 11.5]])  # with 48 bins, each is one wide
    found = histogram(scores, 4)
    assert BINS == 48
    np.testing.assert_allclose(found.middles, np.arange(-23.5, 24), rtol=1e-14)
    before, after = np.zeros(48), np.zeros(48)
    before[[0, 47, 24, 35]] = 0.25
    after[[12, 36, 24, 29]] = 0.25  # -12, 12, 0.25, 5.75
    np.testing.assert_array_equal(found.shares, before)
    np.testing.assert_array_equal(found.scaled_shares, after)


@pytest.mark.parametrize("scores", [np.zeros((2, 2)), np.zeros((1, 1))])
def test_scores_of_zero_are_all_in_the_middle(scores):
    found = histogram(scores, 4)
    assert (found.middles[0], found.middles[-1]) == pytest.approx((-47 / 48, 47 / 48))
    np.testing.assert_array_equal(found.shares, np.arange(48) == 24)
    np.testing.assert_array_equal(found.scaled_shares, found.shares)


def test_the_histogram_of_the_notebook_has_each_of_its_scores():
    scores = np.array(RANDOM["scores"])
    found = histogram(scores, 8)
    half = (found.middles[1] - found.middles[0]) / 2
    assert found.middles[-1] + half == pytest.approx(np.abs(scores).max(), rel=1e-14)
    for shares, numbers in ((found.shares, scores), (found.scaled_shares, np.array(RANDOM["scaled"]))):
        for middle, share in zip(found.middles, shares, strict=True):
            assert share == (np.abs(numbers - middle) <= half + 1e-9).sum() / scores.size


def test_the_variances_of_the_notebook_are_those_of_its_scores():
    """The numbers that the page draws in place of the notebook's are measured in the same way."""
    given, scores = RANDOM["variance_unscaled"], np.array(RANDOM["q"]) @ np.array(RANDOM["k"]).T
    assert scores.var() == pytest.approx(given["scores"], abs=1e-7)
    assert (scores / math.sqrt(8)).var() == pytest.approx(RANDOM["variance_scaled"], abs=1e-7)


@settings(derandomize=True, deadline=None)
@given(
    arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.floats(-1e9, 1e9)),
    st.sampled_from(WIDTHS),
)
def test_the_shares_of_a_histogram_sum_to_1_and_scaling_draws_them_to_the_middle(scores, d_k):
    found = histogram(scores, d_k)
    assert found.middles.shape == found.shares.shape == found.scaled_shares.shape == (48,)
    assert found.shares.sum() == pytest.approx(1, abs=1e-14)
    assert found.scaled_shares.sum() == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(found.middles, -found.middles[::-1], rtol=1e-12, atol=1e-300)
    # beyond largest / sqrt(d_k) there is no scaled score
    half = found.middles[-1] - found.middles[-2]
    outside = np.abs(found.middles) - half > np.abs(scores).max() / math.sqrt(d_k)
    np.testing.assert_array_equal(found.scaled_shares[outside & (scores != 0).any()], 0)
