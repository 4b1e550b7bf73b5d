"""The numbers of one preset in one session, and how they take up what the editors hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from secrets import randbelow
from typing import Any, TypeAlias

from core.matrices import (
    Axis,
    Inputs,
    Refused,
    cell_text,
    check_decimals,
    decimal_signs,
    parse_number,
    set_cells,
)
from core.presets import Preset
from core.recipes import Recipe
from core.stages import WEIGHT_MATRICES

LAYOUTS = ("T x C", "C x T")
MOST_UNDO = 50
BLOCK = (("matrix", str), ("row", int), ("column", int), ("rows", int), ("columns", int))

# Anywhere, so that a browser that comes back to a restarted server brings no old edits along; but the same in
# all sessions, so that what a link shows to one is what it shows to the next.
FIRST_REVISION = randbelow(10**9)

Place: TypeAlias = tuple[str, int, int]  # matrix, row and column
Doubt: TypeAlias = tuple[str, set[str]]  # a text, and the decimal signs beside which it is not used


@dataclass(frozen=True)
class Moment:
    """What undo gives back; two are equal where they hold the very same objects.

    The settings are there where they went with the numbers: by name in the session.
    """

    inputs: Inputs
    preset: Preset
    recipe: Recipe | None
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class LinkText:
    """What a link says of a worksheet, and what it was made of: the numbers now, and before the last edit.

    text tells what the last edit did, where there is one and room for it; numbers_now never does.
    """

    moment: Moment
    before: Inputs | None
    text: str
    numbers_now: str


@dataclass(eq=False)
class Worksheet:
    """The numbers of one preset in one session: as they are, as they were, and as the editors got them.

    An editor is given `base` and a key with the revision; both change only when the page itself changes
    the numbers, for a new base under an old key would have old edits laid over it. The recipe is there where
    the preset was made from one.
    """

    preset: Preset
    inputs: Inputs
    base: Inputs
    recipe: Recipe | None = None
    revision: int = FIRST_REVISION
    past: list[Moment] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: dict[Place, Doubt] = field(default_factory=dict)
    came_with_edit: bool = False  # the problems, as those of a pasted block do
    is_refused: bool = False  # something of what was typed last
    cut: str = ""  # that a pasted block did not fit
    is_cut_new: bool = False  # until what did fit has been taken up
    notice: str = ""  # why a link could not be used
    link: LinkText | None = None
    looked_at: Inputs | None = None  # the numbers for which one no longer wants to see what the last edit did

    @property
    def now(self) -> Moment:
        return Moment(self.inputs, self.preset, self.recipe)

    @property
    def complaints(self) -> list[str]:
        """What of that which was typed or pasted is not used, and why; the latest first."""
        return [self.cut, *self.problems] if self.cut else self.problems

    @property
    def can_undo(self) -> bool:
        return bool(self.past or self.problems)

    @property
    def before_edit(self) -> Inputs | None:
        """The numbers before the last edit, None where there was none, or its effect is not to be shown."""
        if not self.past or self.past[-1].preset is not self.preset or self.inputs is self.looked_at:
            return None
        return self.past[-1].inputs

    def replace_inputs(self, inputs: Inputs, settings: Mapping[str, Any] | None = None) -> None:
        """Change the numbers from outside the editors, which start anew; settings went along with them."""
        if settings or not inputs.same_as(self.inputs):
            self._remember(replace(self.now, settings=settings))
        self.inputs = inputs
        self.give_to_editors()

    def take_link(self, inputs: Inputs, before: Inputs | None) -> None:
        """Have the numbers of a link, and the last edit that it tells of, from before to now.

        Where they were here before, as the browser's Back gives them back, what came since is forgotten.
        """
        places = [
            place
            for place, moment in enumerate(self.past)
            if moment.preset is self.preset and moment.inputs.same_as(inputs)
        ]
        if places and not inputs.same_as(self.inputs):
            self.past, self.inputs = self.past[: places[-1]], inputs
            self.give_to_editors()
        else:
            self.replace_inputs(inputs)
        self.looked_at = inputs if before is None else None
        if before is not None and not (self.past and self.past[-1].inputs.same_as(before)):
            self._remember(Moment(before, self.preset, self.recipe))

    def forget_past(self) -> None:
        """Have nothing to undo but the edit that is told of."""
        self.past = [] if self.before_edit is None else self.past[-1:]

    def start_anew(
        self,
        recipe: Recipe,
        preset: Preset,
        settings: Mapping[str, Any] | None = None,
        inputs: Inputs | None = None,
    ) -> None:
        """Begin again with what another recipe gives, or with edited inputs; settings are those of before."""
        self._remember(replace(self.now, settings=settings))
        self.recipe, self.preset = recipe, preset
        self.inputs = self.looked_at = inputs or preset.inputs
        self.give_to_editors()

    def reset(self, inputs: Inputs, settings: Mapping[str, Any] | None) -> None:
        """Give back what was there at first, and note the settings that go with what is there, if any."""
        self.replace_inputs(inputs, settings)
        self.looked_at = self.inputs

    def undo(self) -> Mapping[str, Any]:
        """Take back what came last: the cells that cannot be used, or an edit; both if they came at once.

        With an edit, cells before it that cannot be used are cleared, too, as the editors start anew. Gives
        the settings that come back with the numbers.
        """
        moment = self.now
        if self.past and (self.came_with_edit or not self.is_refused):
            moment = self.past.pop()
            self.inputs, self.preset, self.recipe = moment.inputs, moment.preset, moment.recipe
        self.give_to_editors()
        return moment.settings or {}

    def give_to_editors(self) -> None:
        """Have the editors start from the numbers as they are."""
        self.base = self.inputs
        self.revision += 1
        self.problems, self.cut, self.notice = [], "", ""
        self.came_with_edit = self.is_refused = False
        self.refused = {}

    def take_edits(self, editors: Mapping[str, Any], layout: str) -> None:
        """Use what the editors of this layout hold; a cell that cannot be used keeps its last number.

        What was refused stays so until it is changed itself, though it be doubtful beside others only.
        Where a browser sends what no editor holds, all of them start anew.
        """
        before, cells, self.problems = self.problems, {}, []
        refused_before, self.refused = self.refused, {}
        try:
            for matrix, editor in editors.items():
                turned = is_shown_turned(matrix, layout)
                shape = self.base.matrices[matrix].values.shape
                typed = _typed(editor, shape[::-1] if turned else shape)
                signs = decimal_signs(filter(None, typed.values()))
                for place, text in typed.items():
                    row, column = place[::-1] if turned else place
                    cell, text = (matrix, row, column), text or ""
                    was, signs_then = refused_before.get(cell, ("", signs))
                    cells[cell] = self._number(cell, text, signs_then if was == text else signs, layout)
        except LookupError:
            self.give_to_editors()
            return
        place_before = {problem: place for place, problem in enumerate(before)}
        self.problems.sort(key=lambda problem: place_before.get(problem, -1))
        is_refused = not set(before).issuperset(self.problems)
        edited_inputs = set_cells(self.base, cells)
        if not edited_inputs.same_as(self.inputs):
            self._remember(self.now)
            self.inputs, self.notice = edited_inputs, ""
            self.came_with_edit = self.is_refused = is_refused
        elif before != self.problems:
            self.came_with_edit, self.is_refused = False, is_refused
        else:
            return
        self.cut, self.is_cut_new = self.cut if self.is_cut_new else "", False

    def tell_of_cut(self, block: Any, layout: str) -> None:
        """Tell of a pasted block that does not fit, where a browser says so; what does fit comes as an edit.

        row and column are where it begins, column 0 being that of the names; rows and columns are its size,
        names what it has in the place of names, which the grid does not use, named whether it brings names
        that come to lie among the numbers, and is_used whether that edit has come before.
        """
        if not isinstance(block, Mapping) or any(type(block.get(key)) is not kind for key, kind in BLOCK):
            return
        matrix, row, column = block["matrix"], block["row"], block["column"]
        if matrix not in self.base.matrices:
            return
        values = self.base.matrices[matrix]
        beside, above = self.base.axes[values.rows], self.base.axes[values.columns]
        if is_shown_turned(matrix, layout):
            beside, above = above, beside
        if row not in range(len(beside.names)) or column not in range(len(above.names) + 1):
            return
        if min(block["rows"], block["columns"]) < 1:
            return
        if told := _of_cut(block, beside, above):
            self.cut = f"{matrix}: {told}"
            self.is_cut_new = column + block["columns"] > 1 and block.get("is_used") is not True

    def _number(self, cell: Place, text: str, signs: set[str], layout: str) -> float:
        matrix, row, column = cell
        try:
            check_decimals(text, signs | {"."} if "," in text else signs)  # those of the table are points
            return parse_number(text)
        except Refused as refused:
            self.refused[cell] = text, signs
            now = float(self.inputs.matrices[matrix].values[row, column])
            names = self.inputs.row_titles(matrix)[row], self.inputs.column_titles(matrix)[column]
            shown_row, shown_column = names[::-1] if is_shown_turned(matrix, layout) else names
            place = f"{matrix}, row '{shown_row}', column '{shown_column}'"
            self.problems.append(f"{place}: {refused}. The last good number, {cell_text(now)}, stays.")
            return now

    def _remember(self, moment: Moment) -> None:
        self.past = [*self.past, moment][-MOST_UNDO:]


def _typed(editor: Mapping[str, Any], shape: tuple[int, ...]) -> dict[tuple[int, int], str | None]:
    """What was typed into which shown row and column. Raises LookupError for what no editor holds."""
    rows, columns = shape
    ids = {f"c{column}": column for column in range(columns)}
    if editor["added_rows"] or editor["deleted_rows"]:
        raise LookupError("an editor adds and removes no rows")
    typed = {}
    for row, edited in editor["edited_rows"].items():
        if row not in range(rows) or not isinstance(edited, Mapping):
            raise LookupError(f"no row {row}")
        for id, text in edited.items():
            if not isinstance(text, str | None):
                raise LookupError("no text")
            whole = text and text.encode("utf-8", "replace").decode()  # without half an emoji
            typed[row, ids[id]] = whole
    return typed


def _of_cut(block: Mapping[str, Any], beside: Axis, above: Axis) -> str:
    """What is said of a block pasted into cells with these names, empty where all of it is used."""
    row, column, rows, columns = (block[side] for side in ("row", "column", "rows", "columns"))
    if block.get("named") is True:
        found = f"a pasted block of {rows} × {columns} cells begins with names, which moved its numbers"
        return f"{found}. Undo it, and paste it under Load."
    first = max(column, 1)  # column of numbers
    high = min(rows, len(beside.names) - row)
    wide = min(column + columns, 1 + len(above.names)) - first
    rest = []
    if high < rows or wide < column + columns - first:
        rest.append("The rest was not used.")
    if column == 0 and _has_other_names(block.get("names"), beside, row):
        rest.append("Its first column lies on the names, which are changed under Names and sizes.")
    if not rest:
        return ""
    fit = f"{high} × {wide} went in at row '{beside.titles[row]}', column '{above.titles[first - 1]}'"
    size = f"of a pasted block of {rows} × {columns} cells"
    return f"{size}, {fit if wide else 'none went in'}. {' '.join(rest)}"


def _has_other_names(pasted: Any, axis: Axis, first: int) -> bool:
    """Whether something is pasted over the names of an axis, from a first one on, which they do not say."""
    if not isinstance(pasted, list) or not all(isinstance(name, str) for name in pasted):
        return False
    there = zip(axis.names[first:], axis.titles[first:], strict=True)
    return any(name.strip() not in ("", *same) for name, same in zip(pasted, there, strict=False))


def is_shown_turned(matrix: str, layout: str) -> bool:
    """Whether an editor shows a matrix turned: in C x T all but the W, which have no tokens."""
    return layout != LAYOUTS[0] and matrix not in WEIGHT_MATRICES


def editor_key(worksheet: Worksheet, matrix: str, layout: str) -> str:
    """The key of a matrix's editor, new with every preset, layout and revision."""
    return f"{worksheet.preset.id}.{matrix}.{layout}.{worksheet.revision}"
