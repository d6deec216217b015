"""Measures mail authentication on labelled mail: ARC chain status and DKIM signatures, each disagreement explained.

Run as ``python bench/mail.py --data D``. The ARC cases label the chain validation status; an empty label is a chain
that its own seal has ended, to which a receiver adds nothing. The DKIM cases are signed mails that verified where they
were published, each with the DNS answers of that day.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from email import message_from_bytes
from email.policy import default

from viska_assets.ingest.authentication import authenticate_mail, receipt_time
from viska_assets.ingest.forwarding import ChainResult, check_chain
from viska_assets.ingest.mail_domains import RecordedDns
from viska_assets.ingest.signatures import signatures_of, why_no_signature

LABELS = {"pass": ChainResult.PASS, "fail": ChainResult.FAIL, "none": ChainResult.NONE, "": ChainResult.ENDED}


def arc_cases(folder: Path) -> dict[str, object]:
    """Agreement with the labelled chain status."""
    cases = agreed = 0
    by_label: dict[str, int] = {}
    disagreements = []
    for suite in json.loads((folder / "arc-draft-validation-tests.json").read_text(encoding="utf-8")):
        for name, case in suite["tests"].items():
            expected = LABELS[case["cv"].lower()]
            chain = check_chain(case["message"].encode(), RecordedDns(suite.get("txt-records") or {}))
            cases += 1
            by_label[expected.value] = by_label.get(expected.value, 0) + 1
            if chain.result is expected:
                agreed += 1
            else:
                said = f"expected {expected.value}, found {chain.result.value}: {chain.reason}"
                disagreements.append({"case": name, "what": case["description"], "why": said})
    return {"cases": cases, "agreed": agreed, "cases_by_label": by_label, "disagreements": disagreements}


def dkim_cases(folder: Path) -> dict[str, object]:
    """Every signature of the signed mails, and what the mail as a whole is judged to be."""
    signatures = verified = 0
    mails, disagreements = [], []
    for path in sorted(folder.glob("*.txt")):
        head, _, message = path.read_bytes().partition(b"\n\n")
        dns = dict(line.split(" ", 1) for line in head.decode().splitlines())
        headers = message_from_bytes(message, policy=default)
        received = receipt_time(headers) or datetime.now(tz=UTC)
        values = [value for name, value in headers.raw_items() if name.lower() == "dkim-signature"]
        for signature in signatures_of(values):
            signatures += 1
            reason = why_no_signature(message, signature, RecordedDns(dns), received)
            verified += reason is None
            if reason is not None:
                disagreements.append({"case": path.stem, "why": reason})
        judged = authenticate_mail(message, dns)
        mails.append({"case": path.stem, "result": judged.result.value, "reason": judged.reason})
    return {"signatures": signatures, "verified": verified, "disagreements": disagreements, "mails": mails}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with arc/ and dkim/")
    data = parser.parse_args().data
    arc, dkim = arc_cases(data / "arc"), dkim_cases(data / "dkim")
    total = int(str(arc["cases"])) + int(str(dkim["signatures"]))
    agreed = int(str(arc["agreed"])) + int(str(dkim["verified"]))
    print(json.dumps({"agreement": round(agreed / total, 4), "arc": arc, "dkim": dkim}, indent=1))


if __name__ == "__main__":
    main()
