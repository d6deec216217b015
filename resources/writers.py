"""The writers of the supervised loop as Dagster resources: one each, and none that holds two writers' addresses."""

import dagster as dg

from viska_assets.store.database import Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise import connect


class WriterResource(dg.ConfigurableResource):
    """One writer's way into the database, as its own role. ``home`` overrides ``VISKA_HOME``."""

    writer: str
    home: str = ""

    def open(self) -> Database:
        """The writer's pool, one per process."""
        settings = Settings(home=self.home) if self.home else Settings()  # type: ignore[arg-type]
        return connect(Writer(self.writer), settings)


def writer_resources() -> dict[str, WriterResource]:
    """By name, ``pg_nous`` and so on, the resource of every writer but hades, whom no run uses as a store."""
    return {
        f"pg_{writer.value}": WriterResource(writer=writer.value) for writer in Writer if writer is not Writer.HADES
    }
