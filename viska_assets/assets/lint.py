"""The nightly lint as an asset: every page of the bundle under the same predicates, and rules about the whole."""

from time import perf_counter

import dagster as dg
from pydantic import Field

from resources.home import HomeResource
from viska_assets.assets.guardrail import engine
from viska_assets.assets.linting import lint_home, publish
from viska_assets.assets.previews import seconds_since, table
from viska_assets.assets.retrieval import OWNERS

GROUP = "lint"


class LintConfig(dg.Config):
    """Pages to judge anew whatever is remembered of them, by their paths in the bundle; empty on an ordinary night."""

    paths: list[str] = Field(default_factory=list)


@dg.asset(deps=["bundle_index"], group_name=GROUP, kinds={"postgres"}, owners=OWNERS, code_version="1")
def lint_report(config: LintConfig, home: HomeResource) -> dg.MaterializeResult:
    """What lint finds in the bundle tonight: by rule, with the place and the mend."""
    started = perf_counter()
    linted = lint_home(home.open(), engine(home), anew=config.paths)
    report, done = linted.report, linted.consequences
    published = publish(home.open())
    columns = ("path", "line", "rule", "code", "severity", "message", "hint")
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(report.findings),
            "pages": report.pages,
            "seconds": seconds_since(started),
            "hard_findings": len(report.hard),
            "warnings": len(report.findings) - len(report.hard),
            "pages_withheld": ", ".join(done.withheld) or "none",
            "pages_back": ", ".join(done.restored) or "none",
            "trends": dg.MetadataValue.md(f"![Lint, night by night]({published.picture})"),
            "page": dg.MetadataValue.url(published.page.as_uri()),
            "export": dg.MetadataValue.path(str(published.export)),
            "summary": dg.MetadataValue.md(report.as_markdown()),
            "findings": table(report.as_rows(), columns),
            "pages_asked_for": ", ".join(config.paths) or "none",
            "findings_on_pages_asked_for": table([r for r in report.as_rows() if r["path"] in config.paths], columns),
        }
    )
