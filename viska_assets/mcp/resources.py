"""Resources and prompts: the index, pages, chunks and sources by address, and how to begin a piece of research."""

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from viska_assets.mcp.replies import BUDGET
from viska_assets.mcp.table import Reading

LONGEST = BUDGET - 500


def add_resources(server: MCPServer, reading: Reading) -> None:
    """Adds the four kinds of resources; each is a window of at most a reply's budget, and says how to read on."""

    def read(reference: str) -> str:
        from viska_assets.query.opening import open_reference

        try:
            with reading() as reader:
                opened = open_reference(reader, reference, limit=LONGEST)
        except ToolError as error:
            raise ResourceError(str(error)) from error
        rest = f"\n\n… viska_open with offset={opened.next_offset} reads on" if opened.next_offset is not None else ""
        return f"{opened.text}{rest}"

    @server.resource("viska://index", title="Index of the bundle", mime_type="text/markdown")
    def index() -> str:
        """All pages of the bundle by folder."""
        return read("viska://index")

    @server.resource("viska://concept/{kind}/{slug}", title="A page", mime_type="text/markdown")
    def concept(kind: str, slug: str) -> str:
        """A page of the bundle, such as viska://concept/issuers/apple."""
        return read(f"viska://concept/{kind}/{slug}")

    @server.resource("viska://chunk/{chunk_id}", title="A passage", mime_type="text/plain")
    def chunk(chunk_id: str) -> str:
        """A passage with its surroundings in the document."""
        return read(f"viska://chunk/{chunk_id}")

    @server.resource("viska://source/{document_id}", title="A document", mime_type="text/plain")
    def source(document_id: str) -> str:
        """A document's cleaned text from its beginning."""
        return read(f"viska://source/{document_id}")


def add_prompts(server: MCPServer) -> None:
    """Adds the prompts."""

    @server.prompt(title="Research a question")
    def research(question: str) -> str:
        """Research a question with every claim cited."""
        return (
            f"Research this with Viska: {question}\n\n"
            "1. viska_answer first. Keep its markers and its notes.\n"
            "2. Where it abstains or is unsure, viska_search for passages, and open the best with viska_open.\n"
            "3. State nothing that no source bears out; say where sources differ, and pick no winner.\n"
            "4. End with the sources, each by its uri."
        )

    @server.prompt(title="Check a text against the sources")
    def check_sources(text: str) -> str:
        """Check every claim of a text."""
        return (
            "Split this text into single claims and call viska_source_check for each. Report them as supported, "
            f"contradicted or unsupported with the spans, and change nothing.\n\n{text}"
        )
