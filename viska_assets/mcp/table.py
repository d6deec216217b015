"""The form of the table of tools: a name, a title and a function per entry. To add a tool is to add an entry."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
from mcp.server.mcpserver.exceptions import ToolError

from viska_assets.engines.protocols import EngineError
from viska_assets.mcp.auth import caller_of_token
from viska_assets.okf.errors import OkfError
from viska_assets.query.access import Caller, Wanted
from viska_assets.query.errors import QueryError
from viska_assets.query.library import ALL_PUBLIC, Library, Reader


class Reading(Protocol):
    """A way to get a reader for one call of whoever calls."""

    def __call__(self, wanted: Wanted = ALL_PUBLIC) -> AbstractContextManager[Reader]:
        """A reader of what is asked to be seen."""
        ...


OVER_STDIO = Caller("stdio")


@dataclass(frozen=True)
class ToolEntry:
    """One tool. ``function`` is made for a way to get a reader; its docstring is what a model reads of it.

    ``asks_web`` says that it asks the web where that is named and a search server is configured.
    """

    name: str
    title: str
    function: Callable[[Reading], Callable[..., Any]]
    asks_web: bool = False


def reading_of(library: Library, caller: Caller = OVER_STDIO) -> Reading:
    """A way to get a reader for one call, with the namespaces of the caller and errors that name the next step.

    Args:
        library: the home, opened for reading.
        caller: who asks where calls come without a token, that is over stdio.
    """

    @contextmanager
    def reading(wanted: Wanted = ALL_PUBLIC) -> Iterator[Reader]:
        try:
            with library.reader(caller_of_token() or caller, wanted) as reader:
                yield reader
        except QueryError as error:
            raise ToolError(f"{error.problem}. Next: {error.mend}.") from error
        except OkfError as error:
            raise ToolError(f"A page of the bundle cannot be read: {error}. Next: run `viska doctor`.") from error
        except EngineError as error:
            raise ToolError(f"A model is out: {error}. Next: run `viska status` where Viska runs.") from error
        except psycopg.OperationalError as error:
            raise ToolError("The database cannot be reached. Next: run `viska db status` where Viska runs.") from error

    return reading
