"""A PDF page by its geometry: characters → pieces → tables, columns, rows → text (pitfalls P6, P7, P8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.intake.bidi import logical
from pipeline.intake.order import columns_of, reading_order
from pipeline.intake.paged import PageText, Span
from pipeline.intake.pdf_glyphs import Frame, Glyph, as_piece, pieces_of, printed_over, spelled, strokes_of
from pipeline.intake.pdf_rules import Lattice
from pipeline.intake.pdf_signs import Signs
from pipeline.intake.pdf_tables import Header, Table, aligned_tables, ruled_table
from pipeline.intake.rows import Piece, Row, rows_of

_SWITCHES = 6  # between columns; a page read column by column has one for each, and some for its notes
_TOUCHING = 0.15  # heights between two characters of one word at most
_LINE = 9.0  # heights: what is wider is a line of text
_LEAST_TWICE = 3  # letters: fewer are a formula, not fake bold
_FORM = 0.4  # share of a page's pieces
_LEAST_LEVEL = 3  # characters side by side


@dataclass(frozen=True)
class Arranged:
    """``certain``: tables whose rows name their columns. ``form``: most of the page stands in grids that are none.
    ``twice``: letters printed over equal ones.

    ``interleaved``: the stream jumps between columns of running text. ``turned``: it is set from the top down.
    ``header``: of a table that may go on on the next page.
    """

    page: PageText
    certain: int
    form: bool
    twice: int
    interleaved: bool
    turned: bool
    header: Header | None

    def tells(self, signs: Signs) -> bool:
        """Whether geometry gave another text than the stream's, for a reason."""
        # pdfium also gives a sparse page character by character, when it takes it for one set from the top down.
        changed = signs.upright or self.twice >= _LEAST_TWICE or self.certain or signs.right_to_left or signs.back
        return bool(changed or (signs.beside and self.interleaved) or (signs.jumps and self.form))


def arranged(
    glyphs: Sequence[Glyph],
    frame: Frame,
    *,
    signs: Signs,
    lattices: Sequence[Lattice] = (),
    hidden: frozenset[int] = frozenset(),
    before: Header | None = None,
) -> Arranged:
    """Return the page as it is read. ``hidden``: indexes of pdfium's characters that nobody sees.

    ``before``: the header of a table that ended the page before.
    """
    unseen = [glyph for glyph in glyphs if glyph.at in hidden]
    seen = [glyph for glyph in glyphs if not glyph.leans and glyph.at not in hidden]
    leaning = [glyph for glyph in glyphs if glyph.leans and glyph.at not in hidden]
    turned = signs.upright and _runs_down(seen)
    level, seen = _level_runs(seen) if turned else ([], seen)
    if turned:
        seen = _turned(seen, frame)
    copies = printed_over(seen) if signs.over else {}
    over = {copy.at for its in copies.values() for copy in its}
    runs = pieces_of([glyph for glyph in seen if glyph.at not in over] if over else seen, _walls(lattices))
    pieces = [as_piece(run, at) for at, run in enumerate(runs)]
    tables = [] if turned else _tables(lattices, pieces, frame, before)
    used = frozenset().union(*(table.used for table in tables))
    free = [piece for piece in pieces if piece.at not in used]
    placed = [Piece(*table.box, "", -1 - number) for number, table in enumerate(tables)]
    writer = _Writer(copies, right_to_left=signs.right_to_left)
    for run in level:
        writer.line(spelled(run)[0])
    for row in reading_order([*free, *placed], exact=True):
        writer.row(row, runs, tables)
    for run in strokes_of(leaning):
        writer.line(spelled(run)[0])
    read = writer.length
    for run in pieces_of(unseen):
        writer.line(spelled(run)[0])
    page = PageText(
        "".join(writer.parts),
        goes_on=frozenset(writer.goes_on),
        twice=tuple(writer.twice),
        hidden=((read, writer.length),) if unseen else (),
        tables=tuple(writer.tables),
    )
    last = max(tables, key=lambda table: table.box[3], default=None)
    return Arranged(
        page=page,
        certain=sum(table.certain for table in tables),
        form=sum(len(table.used) for table in tables if not table.certain) > _FORM * len(pieces),
        twice=len(over),
        interleaved=_is_interleaved(free),
        turned=turned,
        header=last.header if last else None,
    )


def _runs_down(glyphs: Sequence[Glyph]) -> bool:
    """Whether neighbours in the stream stand under each other more often than side by side."""
    down = right = 0
    for last, glyph in pairwise(glyphs):
        em = max(last.height, 0.1)
        across, below = glyph.x0 - last.x0, glyph.middle - last.middle
        down += abs(across) < 0.5 * em and 0.4 * em < below < 2.5 * em
        right += abs(below) < 0.4 * em and 0.2 * em < across < 2.5 * em
    return down > right


def _level_runs(glyphs: Sequence[Glyph]) -> tuple[list[list[Glyph]], list[Glyph]]:
    """Lines of a page set from the top down that run level all the same: its head, its number; and the rest."""
    level: list[list[Glyph]] = []
    rest: list[Glyph] = []
    for run in pieces_of(glyphs):
        if len(run) >= _LEAST_LEVEL:
            level.append(run)
        else:
            rest += run
    return sorted(level, key=lambda run: run[0].middle), rest


def _turned(glyphs: Sequence[Glyph], frame: Frame) -> list[Glyph]:
    """Vertical script as if it were horizontal: down becomes right, and leftward becomes down."""
    width = frame.width
    return [g._replace(x0=g.y0, y0=width - g.x1, x1=g.y1, y1=width - g.x0, spaced=False) for g in glyphs]


def _is_interleaved(pieces: Sequence[Piece]) -> bool:
    """Whether the stream goes from one column of running text to the other and back, line by line."""
    gutter = columns_of(pieces)
    if gutter is None:
        return False
    # Whole lines only: the cells of a table stand left and right of a gutter in any order.
    lines = [piece for piece in pieces if piece.x1 - piece.x0 >= _LINE * piece.height]
    sides = [piece.x0 > gutter for piece in lines if not piece.x0 < gutter < piece.x1]
    return sum(one != two for one, two in pairwise(sides)) >= _SWITCHES


def _walls(lattices: Sequence[Lattice]) -> Callable[[Glyph, Glyph], bool] | None:
    """Whether two neighbours stand in different cells."""
    if not lattices:
        return None

    def between(last: Glyph, glyph: Glyph) -> bool:
        if not glyph.spaced and glyph.x0 - last.x1 < _TOUCHING * max(glyph.height, 0.1):
            return False  # a word that is too long for its cell is one word all the same
        return any(
            lattice.cell_at((last.x0 + last.x1) / 2, last.middle)
            != lattice.cell_at((glyph.x0 + glyph.x1) / 2, glyph.middle)
            for lattice in lattices
        )

    return between


def _tables(lattices: Sequence[Lattice], pieces: Sequence[Piece], frame: Frame, before: Header | None) -> list[Table]:
    """Ruled tables first, then aligned ones among what is left."""
    tables: list[Table] = []
    used: set[int] = set()
    for lattice in lattices:
        table = ruled_table(lattice, [p for p in pieces if p.at not in used], frame.height, before)
        if table is not None:
            tables.append(table)
            used |= table.used
    free = [piece for piece in pieces if piece.at not in used]
    return tables + aligned_tables(rows_of(free))


class _Writer:
    """Builds a page's text and remembers where things are in it."""

    def __init__(self, copies: dict[int, list[Glyph]], *, right_to_left: bool) -> None:
        self._copies, self._right_to_left = copies, right_to_left
        self.parts: list[str] = []
        self.length = 0
        self.twice: list[Span] = []
        self.tables: list[Span] = []
        self.goes_on: set[int] = set()

    def line(self, text: str) -> None:
        self._add(text + "\n")

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def row(self, row: Row, runs: Sequence[Sequence[Glyph]], tables: Sequence[Table]) -> None:
        """Write a row's tables, then its words."""
        if row.goes_on:
            self.goes_on.add(self.length)
        for table in (tables[-1 - piece.at] for piece in row.pieces if piece.at < 0):
            start = self.length
            for line in table.lines:
                self.line(line)
            if table.certain:
                self.tables.append((start, self.length))
        words = [runs[piece.at] for piece in row.pieces if piece.at >= 0]
        if words and self._right_to_left:
            self.line(logical([glyph for run in words for glyph in run]))
        elif words:
            for number, run in enumerate(words):
                self._add(" " if number else "")
                self._run(run)
            self.line("")

    def _run(self, run: Sequence[Glyph]) -> None:
        """Text of a run, with what is printed over a character right behind it; the copies' spans are noted."""
        text, starts = spelled(run)
        at = 0
        for glyph, start in zip(run, starts, strict=True) if self._copies else ():
            copies = "".join(copy.text for copy in self._copies.get(glyph.at, ()))
            if copies:
                end = start + len(glyph.text)
                self._add(text[at:end])
                at = end
                self.twice.append((self.length, self.length + len(copies)))
                self._add(copies)
        self._add(text[at:])
