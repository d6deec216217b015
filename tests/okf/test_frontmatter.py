import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.okf.pages import texts, yaml_values
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import MAX_CHARACTERS, find_head, read_mapping, require_head
from viska_assets.okf.frontmatter_writer import write_entry


def read(yaml: str) -> dict[str, object]:
    return dict(read_mapping(require_head(f"---\n{yaml}\n---\n", "p.md"), "p.md").values)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0123", "0123"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("null", "null"),
        ("~", "~"),
        (".inf", ".inf"),
        ("", ""),
        ("2026-06-30T14:00:00Z", "2026-06-30T14:00:00Z"),
    ],
)
def test_scalars_stay_strings(written: str, value: str) -> None:
    assert read(f"v: {written}") == {"v": value}


def test_a_key_that_yaml_takes_for_a_bool_is_a_string() -> None:
    assert read("yes: no") == {"yes": "no"}


@pytest.mark.parametrize(
    ("yaml", "message", "line"),
    [
        ("a: 1\na: 2", "occurs twice", 3),
        ("a: &x 1\nb: *x", "anchors", 2),
        ("b: *x", "alias", 2),
        ("a: !!python/object:os.system x", "tags", 2),
        ("a: !!str 1", "tags", 2),
        ("a: {<<: {b: 1}}", "merge", 2),
        ("- a\n- b", "not a mapping", 2),
        ("just text", "not a mapping", 2),
        ("a: [1", "not valid YAML", 3),
        ("a: 1\n b: 2", "not valid YAML", 3),
        ("? [a, b]\n: 1", "not a plain string", 2),
        ("a: " + "[" * 12 + "]" * 12, "deeper", 2),
        ("a: \x01", "not valid YAML", 1),
    ],
)
def test_traps_are_refused_with_their_line(yaml: str, message: str, line: int) -> None:
    with pytest.raises(OkfError, match=message) as caught:
        read(yaml)
    assert caught.value.line == line


def test_an_unterminated_block_is_refused() -> None:
    with pytest.raises(OkfError, match="not terminated"):
        require_head("---\ntype: Issuer\n", "p.md")


def test_a_file_without_a_block_is_refused_and_find_head_says_none() -> None:
    assert find_head("# Title\n") is None
    with pytest.raises(OkfError, match="no frontmatter"):
        require_head("# Title\n", "p.md")


def test_an_overlong_block_is_refused() -> None:
    with pytest.raises(OkfError, match="longer"):
        read("a: " + "x" * MAX_CHARACTERS)


def test_an_empty_block_is_an_empty_mapping() -> None:
    assert read_mapping(require_head("---\n---\n", "p.md")).values == {}


def test_lines_of_keys_and_elements_are_known() -> None:
    head = require_head("---\ntype: A\nsources:\n  - id: x\n  - id: y\n---\n")
    assert read_mapping(head).lines["sources.1.id"] == 5


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), yaml_values, min_size=1, max_size=4))
def test_what_is_written_reads_back(values: dict[str, object]) -> None:
    yaml = "".join(write_entry(key, value) for key, value in values.items())
    assert read(yaml) == values


def test_a_merge_key_is_not_written() -> None:
    with pytest.raises(OkfError, match="cannot hold the key"):
        write_entry("k", {"<<": "x"})


@given(texts)
def test_any_text_is_one_line_of_yaml(text: str) -> None:
    assert write_entry("k", text).count("\n") == 1


@given(st.text(max_size=200))
def test_any_input_reads_or_raises_okf_error(text: str) -> None:
    try:
        read(text)
    except OkfError as error:
        assert error.message
