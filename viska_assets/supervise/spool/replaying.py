"""What waits in a spool, written at last: each row once, by its writer, through flags, grants and review."""

from dataclasses import dataclass, field

import psycopg
from filelock import FileLock

from viska_assets.store.database import Database
from viska_assets.store.supervised.spooled_rows import add_row
from viska_assets.supervise.connecting import is_paused
from viska_assets.supervise.spool.files import Spool, TornError


@dataclass
class Replayed:
    """How many rows were written, how many stood already, what was kept aside, what waits on and why."""

    written: int = 0
    stood: int = 0
    aside: list[str] = field(default_factory=list)
    waiting: int = 0
    held: str = ""


def replay(database: Database, spool: Spool) -> Replayed:
    """Replays a writer's spool, oldest first, each file in a transaction of its own.

    A paused or disabled writer's files stay; a torn, altered or refused one is kept aside with the reason.

    Args:
        database: the writer's own.
        spool: the writer's.
    """
    done = Replayed()
    if not spool.folder.exists():
        return done
    with FileLock(spool.folder / ".lock"):
        done.aside += [path.name for path in spool.sweep()]
        for path in spool.waiting():
            try:
                write = spool.read(path)
                with database.transaction() as connection:
                    is_new = add_row(connection, write)
            except TornError as error:
                done.aside.append(spool.set_aside(path, str(error)).name)
                continue
            except psycopg.Error as error:
                said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
                if is_paused(error) or isinstance(error, psycopg.OperationalError):
                    done.held = said
                    break
                done.aside.append(spool.set_aside(path, f"refused, {error.sqlstate}: {said}").name)
                continue
            done.written += is_new
            done.stood += not is_new
            spool.done(path)
        done.waiting = len(spool.waiting())
    return done
