"""From the typed head of a page to its YAML: fixed key order, empty values left out."""

from viska_assets.model.page import Frontmatter, Generated, Locator, SourceEntry
from viska_assets.okf.frontmatter_writer import write_entry
from viska_assets.okf.timestamps import write_timestamp


def render_head(head: Frontmatter) -> str:
    """The YAML of a typed head, empty values left out."""
    entries: dict[str, object] = {
        "type": head.type.value,
        "title": head.title,
        "description": head.description,
        "resource": head.resource,
        "tags": head.tags,
        "identifiers": head.identifiers,
        "aliases": head.aliases,
        "currency": head.currency,
        "generated": _actor_entry(head.generated),
        "verified": [_actor_entry(actor) for actor in head.verified],
        "timestamp": write_timestamp(head.timestamp),
        "status": head.status.value,
        "stale_after": write_timestamp(head.stale_after) if head.stale_after else "",
        "sources": [_source_entry(source) for source in head.sources],
        "supersedes": [entry.model_dump() for entry in head.supersedes],
        "superseded_by": head.superseded_by,
    }
    written = [write_entry(key, value) for key, value in entries.items() if value or key == "title"]
    return "".join(written) + "".join(write_entry(key, value) for key, value in head.extra.items())


def _actor_entry(actor: Generated) -> dict[str, object]:
    return {"by": actor.by, "at": write_timestamp(actor.at)}


def _source_entry(source: SourceEntry) -> dict[str, object]:
    entry: dict[str, object] = {"id": source.id, "resource": source.resource}
    optional: dict[str, object] = {
        "title": source.title,
        "chunk": source.chunk,
        "locator": _locator_entry(source.locator) if source.locator else None,
        "excerpt": source.excerpt,
        "content_sha256": source.content_sha256,
        "computation": source.computation.model_dump(exclude_defaults=True) if source.computation else None,
    }
    entry.update({key: value for key, value in optional.items() if value})
    entry.update(source.extra)
    return entry


def _locator_entry(locator: Locator) -> dict[str, str]:
    return {key: value for key, value in locator.model_dump().items() if key != "kind"}
