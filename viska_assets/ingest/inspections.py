"""The inspection page of each document, kept in the home: every number highlighted with its typed reading."""

from pathlib import Path

from viska_assets.ingest.authentication import recorded_dns
from viska_assets.ingest.inspect import inspect_html
from viska_assets.ingest.readers import Reading, ReadingPlan
from viska_assets.store.policy import load_policy
from viska_assets.store.settings import Settings


def plan_of(settings: Settings) -> ReadingPlan:
    """How documents are read under these settings."""
    return ReadingPlan(
        embedder=settings.embedder,
        dns=recorded_dns(settings.dns_path),
        trusted_forwarders=load_policy(settings).mail.trusted_forwarders,
        ocr=settings.ocr,
        ocr_key=settings.ocr_key,
        largest=settings.max_document_bytes,
    )


def inspection_path(folder: Path, document_id: str) -> Path:
    """Where a document's page stands."""
    return folder / f"{document_id[:16]}.html"


def write_inspection(folder: Path, reading: Reading) -> None:
    """Writes the page of one document, as a whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = inspection_path(folder, reading.document.document_id)
    scratch = path.with_suffix(".partial")
    with scratch.open("w", encoding="utf-8") as page:
        page.writelines(inspect_html(reading.document, reading.chunks))
    scratch.replace(path)
