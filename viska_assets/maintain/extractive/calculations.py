"""What a calculation document adds: the Metric page, its value, the steps and the method, all cited to the document."""

from datetime import timedelta

from viska_assets.maintain.calculations.document import METHOD, RESULT_LABEL, STEP_COLUMNS
from viska_assets.maintain.extractive.citing import cite, cite_quote
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.model.delta import ConceptDelta, FigureCell, FigureRow, FigureTable, Section, SectionName, Statement
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.model.views import CitedChunk
from viska_assets.text.printing import print_figure

METRIC = f"{FOLDER_OF_TYPE[ConceptType.METRIC]}/portfolio-twr"
METRIC_FRESHNESS = timedelta(days=1)
# As OKF's Attested Computation has it: the formula in a block of its own, and the code that computes the value.
FORMULA = """```text
twr = product over sub-periods (value at end / value at start) less one
```"""
EXECUTOR = "viska_assets/maintain/calculations/returns.py"


def draft_calculation(view: DocumentView) -> list[ConceptDelta]:
    """The Metric delta of a calculation; none where the document holds no result."""
    cells = [(chunk, evidence) for chunk, evidence in view.evidence() if chunk.table and evidence.column_path]
    results = [cell for cell in cells if cell[1].row_path[-1:] == (RESULT_LABEL,)]
    columns = tuple(dict.fromkeys(evidence.column_path[-1] for _, evidence in results))
    result = _table(view, "Measure", results, columns)
    if result is None:
        return []
    steps = _table(view, "Sub-period", cells, STEP_COLUMNS)
    sections = (
        Section(name=SectionName.VALUE, blocks=(result,)),
        Section(name=SectionName.COMPUTATION, blocks=(*_method(view), *([steps] if steps else []))),
    )
    return [
        ConceptDelta(
            concept_id=METRIC,
            type=ConceptType.METRIC,
            title=RESULT_LABEL,
            description="The linked return of the portfolio between dates with closes, whatever money came or went.",
            document_id=view.stored.document_id,
            known_at=view.stored.known_at,
            facts={"runtime": "python", "executor": EXECUTOR},
            sections=sections,
            stale_after=view.stored.known_at + METRIC_FRESHNESS,
        )
    ]


def _method(view: DocumentView) -> list[Statement]:
    """The method in the document's own words, and the formula."""
    found = []
    for chunk in view.chunks:
        citation = cite_quote(chunk, METHOD, view.title) if METHOD in chunk.text else None
        if citation:
            found.append(Statement(text=f"“{METHOD}”", supports=(citation,), bullet=False))
    return [*found[:1], Statement(text=FORMULA, bullet=False)]


def _table(
    view: DocumentView, corner: str, cells: list[tuple[CitedChunk, Evidence]], columns: tuple[str, ...]
) -> FigureTable | None:
    rows: dict[str, dict[str, FigureCell]] = {}
    for chunk, evidence in cells:
        column = next((name for name in columns if name == evidence.column_path[-1]), None)
        citation = cite(chunk, evidence, view.title) if column and evidence.row_path else None
        if column and citation:
            text = print_figure(evidence)
            rows.setdefault(evidence.row_path[-1], {})[column] = FigureCell(text=text, support=citation)
    if not rows:
        return None
    figure_rows = tuple(FigureRow(label=label, cells=cells) for label, cells in rows.items())
    return FigureTable(corner=corner, columns=columns, rows=figure_rows)
