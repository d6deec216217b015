"""Public parsers on the files of the parsing benchmark: their speed and the share of truth numbers they keep whole."""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parsing_truth import visible_pdf


def measure_peers(
    pack: Path, rows: list[dict[str, Any]], facts_by: dict[str, Any], cells_by: dict[str, Any]
) -> dict[str, Any]:
    """Public parsers on the same files: CPU per MB, and the share of truth numbers that stand whole in their output."""
    peers: dict[str, tuple[str, Callable[[bytes], str]]] = {
        "lxml.text_content": ("html", peer_lxml),
        "pandas.read_html": ("html", peer_pandas),
        "pypdfium2.text": ("pdf", visible_pdf),
        "pdfminer.six": ("pdf", peer_pdfminer),
    }
    results: dict[str, Any] = {}
    for name, (kind, peer) in peers.items():
        spent = size = 0.0
        kept = wanted = 0
        for row in rows:
            limit = 400_000 if name == "pdfminer.six" else 1 << 40
            if row["format"] != kind or row["bytes"] > limit:
                continue
            data = (pack / row["path"]).read_bytes()
            started = time.process_time()
            try:
                text = peer(data)
            except (ValueError, ImportError) as error:
                results.setdefault(name, {}).setdefault("failed", []).append(f"{row['doc_id']}: {error}")
                text = ""
            spent += time.process_time() - started
            size += len(data) / 1e6
            numbers = set(re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text))
            displays = [t["display"] for t in facts_by.get(row["doc_id"], ()) if not t["hidden"]]
            displays += [t["cell"] for t in cells_by.get(row["doc_id"], ())]
            for display in displays:
                found = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", display)
                if found:
                    wanted += 1
                    kept += found.group() in numbers
        results.setdefault(name, {}).update(
            cpu_s_per_mb=round(spent / size, 3) if size else None,
            numbers_kept=round(kept / wanted, 5) if wanted else None,
            n_numbers=wanted,
            scale_sign_unit_read=False,
        )
        print(f"peer {name}: {results[name]}", file=sys.stderr)
    return results


def peer_lxml(data: bytes) -> str:
    import lxml.html

    return str(lxml.html.document_fromstring(data).text_content())


def peer_pandas(data: bytes) -> str:
    import io

    import pandas

    tables = pandas.read_html(io.BytesIO(data), flavor="lxml", thousands=None)
    return "\n".join(" ".join(map(str, table.to_numpy().ravel())) for table in tables)


def peer_pdfminer(data: bytes) -> str:
    import io

    from pdfminer.high_level import extract_text

    return extract_text(io.BytesIO(data))
