import pytest

from tests.lint.clean_bundle import AS_OF, clean_pages, files_of, snapshot
from tests.shared_data import shared_data
from viska_assets.lint.bundle import BundleSnapshot
from viska_assets.lint.fixes import mechanical_fixes
from viska_assets.lint.policy import LintPolicy
from viska_assets.lint.run import lint_bundle


def test_a_clean_bundle_needs_no_fix() -> None:
    pages, _ = clean_pages()
    assert mechanical_fixes(files_of(pages)) == {}


def test_indexes_and_feet_are_written_again_and_nothing_else() -> None:
    pages, evidence = clean_pages()
    clean = files_of(pages)
    files = dict(clean)
    files["issuers/index.md"] = files["issuers/index.md"].replace("About Alder.", "Old.")
    files["old/index.md"] = "# Old\n\n* [x](x.md) - x\n"
    del files["theses/index.md"]
    files["issuers/birch.md"] = files["issuers/birch.md"].replace("Revenue × Fiscal 2025", "Revenue × Fiscal 2019")
    fixes = mechanical_fixes(files)
    assert fixes == {
        "issuers/birch.md": clean["issuers/birch.md"],
        "issuers/index.md": clean["issuers/index.md"],
        "old/index.md": None,
        "theses/index.md": clean["theses/index.md"],
    }
    mended = {path: text for path, text in (files | fixes).items() if text is not None}
    assert lint_bundle(snapshot(mended, evidence), AS_OF).findings == ()


def test_a_wrong_figure_is_never_mended() -> None:
    pages, _ = clean_pages()
    files = files_of(pages)
    files["issuers/alder.md"] = files["issuers/alder.md"].replace("4,120", "9,120")
    assert mechanical_fixes(files) == {}


@pytest.mark.parametrize("name", ["acme_retail", "crypto_bitcoin", "ga4", "stackoverflow"])
def test_googles_bundles_lint_without_a_hard_finding_where_foreign_pages_are_allowed(name: str) -> None:
    folder = shared_data("okf_bundles", name)
    files = {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))}
    report = lint_bundle(BundleSnapshot(files), AS_OF, policy=LintPolicy(allow_foreign=True))
    assert report.hard == ()
    assert lint_bundle(BundleSnapshot(files), AS_OF).hard != ()
