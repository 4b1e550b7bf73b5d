"""The attention of a page as it stands, and those that it is held against."""

from __future__ import annotations

from core.matrices import Inputs
from core.stages import Attention, attend
from core.ui.state import Page
from core.what_if import attend_if, in_order_of


def attention_of(page: Page) -> Attention:
    """The attention of a page as its numbers, its toggles and its what-if are."""
    return _attention(page, page.inputs)


def before_edit(page: Page) -> Attention | None:
    """The same before the last edit, where there was one."""
    return None if page.before_edit is None else _attention(page, page.before_edit)


def as_defined(page: Page) -> Attention:
    """The same with no what-if, its tokens in the order in which the what-if puts them."""
    attention = attend(page.inputs, scale=page.scale, causal=page.causal, only_query=page.only_query)
    return attention if page.what_if is None else in_order_of(attention, page.inputs, page.what_if)


def _attention(page: Page, inputs: Inputs) -> Attention:
    scale, causal, only = page.scale, page.causal, page.only_query
    if page.what_if is None:
        return attend(inputs, scale=scale, causal=causal, only_query=only)
    return attend_if(inputs, page.what_if, scale=scale, causal=causal, only_query=only)
