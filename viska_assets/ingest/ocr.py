"""Reading scanned pages: the protocol, Tesseract where it is installed, and an HTTP vendor in the LlamaParse form."""

import io
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from viska_assets.ingest.errors import ReadingError


@dataclass(frozen=True, slots=True)
class OcrReading:
    """The text of one page and how sure the engine is of it, from 0 to 1 (None where it does not say)."""

    text: str
    confidence: Decimal | None = None


class OcrEngine(Protocol):
    """Anything that reads an image of a page."""

    def read_page(self, image: Any, number: int) -> OcrReading:
        """Read one page, given as a PIL image."""
        ...


@dataclass(frozen=True, slots=True)
class TesseractOcr:
    """Tesseract as a subprocess; ``languages`` in its own form (``eng+dan``)."""

    languages: str = "eng"
    executable: str = "tesseract"
    timeout: float = 120.0

    @property
    def is_installed(self) -> bool:
        """Whether the executable is on the path."""
        return shutil.which(self.executable) is not None

    def read_page(self, image: Any, number: int) -> OcrReading:
        """Read one page with word confidences."""
        command = [self.executable, "stdin", "stdout", "-l", self.languages, "tsv"]
        try:
            done = subprocess.run(command, input=_png(image), capture_output=True, timeout=self.timeout, check=True)
        except FileNotFoundError as error:
            raise ReadingError(
                f"page {number}", "Tesseract is not installed", "install it or set no OCR engine"
            ) from error
        except subprocess.SubprocessError as error:
            raise ReadingError(f"page {number}", f"Tesseract failed ({error})", "check the language packs") from error
        return read_tsv(done.stdout.decode("utf-8", "replace"))


def read_tsv(tsv: str) -> OcrReading:
    """Tesseract's TSV as text (lines by its line numbers, paragraphs parted by blank lines) and mean confidence."""
    lines: dict[tuple[int, int, int], list[str]] = {}
    confidences: list[Decimal] = []
    for row in tsv.splitlines()[1:]:
        fields = row.split("\t")
        if len(fields) == 12 and fields[0] == "5" and fields[11].strip():
            lines.setdefault((int(fields[2]), int(fields[3]), int(fields[4])), []).append(fields[11])
            confidences.append(Decimal(fields[10]))
    text = ""
    previous: tuple[int, int] | None = None
    for (block, paragraph, _), words in sorted(lines.items()):
        separator = "" if previous is None else "\n" if previous == (block, paragraph) else "\n\n"
        text += separator + " ".join(words)
        previous = (block, paragraph)
    mean = sum(confidences, Decimal(0)) / len(confidences) / 100 if confidences else None
    return OcrReading(text, mean.quantize(Decimal("0.001")) if mean is not None else None)


@dataclass(frozen=True, slots=True)
class HttpOcr:
    """A parse vendor in the LlamaParse form: upload, poll the job, fetch its text.

    ``pause`` waits between two polls; a test passes its own.
    """

    url: str
    key: str = ""
    timeout: float = 300.0
    poll_seconds: float = 1.0
    pause: Callable[[float], None] = time.sleep

    def read_page(self, image: Any, number: int) -> OcrReading:
        """Read one page through the vendor."""
        import httpx

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        file = f"page {number}"
        try:
            with httpx.Client(base_url=self.url.rstrip("/"), headers=headers, timeout=60.0) as client:
                upload = {"file": (f"page-{number}.png", _png(image), "image/png")}
                job = client.post("/api/parsing/upload", files=upload).raise_for_status().json()["id"]
                self._wait(client, job, file)
                result = client.get(f"/api/parsing/job/{job}/result/text").raise_for_status().json()
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise ReadingError(file, f"the parse vendor failed ({error})", "check its URL and key") from error
        confidence = result.get("confidence")
        return OcrReading(str(result.get("text", "")), Decimal(str(confidence)) if confidence is not None else None)

    def _wait(self, client: Any, job: str, file: str) -> None:
        for _ in range(max(1, int(self.timeout / self.poll_seconds))):
            status = client.get(f"/api/parsing/job/{job}").raise_for_status().json().get("status", "")
            if status == "SUCCESS":
                return
            if status in ("ERROR", "CANCELED", "CANCELLED"):
                raise ReadingError(file, f"the parse vendor ended the job with {status}", "look at the job there")
            self.pause(self.poll_seconds)
        raise ReadingError(file, f"no answer within {self.timeout:g} seconds", "raise the timeout or try later")


def ocr_engine(setting: str, key: str = "") -> OcrEngine | None:
    """The engine that a setting names: ``tesseract`` (or ``tesseract:eng+dan``), a vendor's address, or none.

    Raises:
        ReadingError: The setting names no engine.
    """
    kind, _, languages = setting.partition(":")
    if not setting:
        return None
    if kind == "tesseract":
        return TesseractOcr(languages or "eng")
    if kind in ("http", "https"):
        return HttpOcr(setting, key)
    raise ReadingError("VISKA_OCR", f"no OCR engine is called {setting!r}", "name tesseract or a vendor's address")


def _png(image: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()
