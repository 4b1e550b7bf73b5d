"""The attention of a page as it stands, and those that it is held against."""

from __future__ import annotations

from dataclasses import replace

from core.comparison import same_sizes
from core.matrices import Inputs
from core.stages import Attention
from core.ui.page import Page
from core.what_if import in_order_of


def attention_of(page: Page) -> Attention:
    """The attention of a page as its numbers, its toggles and its what-if are."""
    return page.snapshot.attention()


def inputs_before_edit(page: Page) -> Inputs | None:
    """The matrices before the last edit, where it left their sizes and no lesson hides what it did."""
    inputs = None if "answers" in page.lesson.hidden else page.worksheet.before_edit
    return inputs if inputs and same_sizes(inputs, page.inputs) else None


def before_edit(page: Page) -> Attention | None:
    """The attention before the last edit, where there are matrices of then."""
    inputs = inputs_before_edit(page)
    return replace(page.snapshot, inputs=inputs).attention() if inputs else None


def as_defined(page: Page) -> Attention:
    """The attention with no what-if, its tokens in the order in which the what-if puts them."""
    attention = replace(page.snapshot, what_if=None).attention()
    return attention if page.what_if is None else in_order_of(attention, page.inputs, page.what_if)
