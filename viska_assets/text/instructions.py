"""Sentences of a source that speak to a machine rather than to a reader: noticed for an operator, never obeyed.

A source is data; nothing it says steers the pipeline. The patterns only make attempts visible, and plain questions
or requests that an attacker might plant cannot be told from a document's own words.
"""

# ruff: noqa: E501 (one pattern a line)
import re

_TARGET = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|other|all|any|your|system|these|those)"
_PATTERNS = (
    rf"\b(?:ignore|disregard|forget|override|bypass|skip)\b(?:\s+\w+){{0,3}}?\s+{_TARGET}(?:\s+\w+){{0,3}}?\s*"
    r"(?:instructions?|prompts?|rules?|guidelines?|context|directions?|commands?|messages?|checks?|guardrails?|polic(?:y|ies))\b",
    r"\b(?:new|updated|hidden|secret|additional|important)\s+(?:system\s+)?(?:instructions?|prompt)\s*(?:for|to)?\s*(?:the\s+)?"
    r"(?:AI|assistant|model|LLM|agent|bot)?\s*:",
    r"\b(?:dear|attention|note to|message to|instructions? (?:for|to))\s+(?:the\s+|any\s+|all\s+)?"
    r"(?:AI|artificial intelligence|language models?|LLMs?|assistants?|chatbots?|agents?|models? reading)\b",
    r"\byou are (?:now )?(?:an?|the|no longer an?)\s+(?:\w+\s+){0,3}(?:AI|assistant|chatbot|language model|agent|LLM|DAN)\b",
    r"\b(?:reveal|print|output|repeat|show|leak|send|exfiltrate|email)\b(?:\s+\w+){0,4}?\s+"
    r"(?:system prompt|hidden prompt|api keys?|credentials|passwords?|secrets?)\b",
    r"\b(?:AI|assistant|language model|LLM|model|agent|summari[sz]er)s?\b[^.\n]{0,40}\b(?:must|should|shall)\s+(?:always\s+|never\s+|not\s+)?"
    r"(?:say|state|report|write|answer|recommend|rate|output|respond|include|mention|tell|approve|mark)\b",
    r"<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]|<<SYS>>|^\s*(?:system|assistant)\s*:\s",
    r"\bdo not (?:tell|inform|mention|reveal|alert|warn)\b[^.\n]{0,30}\b(?:users?|humans?|analysts?|operators?|readers?)\b",
    r"\b(?:execute|run|call|invoke|use)\s+(?:the\s+)?(?:following\s+)?(?:tool|function|command|shell|code)\b[^.\n]{0,40}[:`(]",
)
_INSTRUCTION = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.MULTILINE)
_QUICK = re.compile(
    r"ignore|disregard|forget|overrid|bypass|skip|instruction|prompt|\bAI\b|assistant|model|LLM|agent|\|>|INST|<<SYS|do not|execute|invoke|run|call",
    re.IGNORECASE,
)
_AROUND = 120
_MOST = 20


def find_instructions(text: str) -> tuple[str, ...]:
    """The passages of ``text`` that address a machine, each with a little of what stands around it."""
    if _QUICK.search(text) is None:
        return ()
    found: list[str] = []
    end = -1
    for match in _INSTRUCTION.finditer(text):
        if match.start() < end:
            continue
        end = match.end() + _AROUND
        found.append(" ".join(text[max(0, match.start() - _AROUND // 4) : end].split()))
        if len(found) == _MOST:
            break
    return tuple(found)
