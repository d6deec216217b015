"""A passage in its document as an HTML page of its own: no script, nothing from elsewhere, everything escaped."""

from html import escape

from viska_assets.query.opening import Opened

_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.3rem; } p.detail { color: #57606a; }
pre { white-space: pre-wrap; font: 14px/1.5 ui-monospace, monospace; border: 1px solid #d0d7de; padding: 1rem; }
mark { background: #fff3a3; outline: 2px solid #d4a72c; }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } mark { color: #000; } }
"""


def opened_html(opened: Opened) -> str:
    """The window as HTML, scrolled to what is highlighted by its anchor ``#passage``."""
    text, marked = opened.text, opened.highlight
    if marked is None:
        body = escape(text)
    else:
        inside = f'<mark id="passage">{escape(marked.of(text))}</mark>'
        body = f"{escape(text[: marked.start])}{inside}{escape(text[marked.end :])}"
    where = f"characters {opened.span.start} to {opened.span.end} of {opened.total}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(opened.title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(opened.title)}</h1>"
        f'<p class="detail">{escape(opened.detail)}<br>{escape(opened.uri)}, {where}</p>'
        f"<pre>{body}</pre></body></html>\n"
    )
