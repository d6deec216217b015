"""One object for all state of one Viska: settings, database, blobs and bundle, opened on first use."""

from functools import cached_property
from typing import TYPE_CHECKING

from viska_assets.store.database import Database, open_database
from viska_assets.store.migrate import migrate
from viska_assets.store.namespaces import reader_of
from viska_assets.store.policy import Policy, load_policy
from viska_assets.store.settings import Settings

if TYPE_CHECKING:
    from viska_assets.store.blobs import RawBlobs
    from viska_assets.store.bundle_repository import BundleRepository


class Home:
    """Everything that outlives a process.

    Args:
        settings: where each part lives; read from the environment where not given.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()

    @cached_property
    def database(self) -> Database:
        """The database, its server started and its schema at the newest revision."""
        database = open_database(self.settings)
        migrate(database)
        return database

    @cached_property
    def reading(self) -> Database:
        """The database as a reader sees it: content read only, private namespaces hidden; see ``store.namespaces``."""
        return reader_of(self.database)

    @cached_property
    def blobs(self) -> "RawBlobs":
        """The raw documents."""
        from viska_assets.store.blobs import RawBlobs

        return RawBlobs(self.settings.raw_blob_url)

    @cached_property
    def bundle(self) -> "BundleRepository":
        """The live bundle."""
        from viska_assets.store.bundle_repository import BundleRepository

        return BundleRepository(self.settings.bundle_path)

    @cached_property
    def policy(self) -> Policy:
        """The desk's policy."""
        return load_policy(self.settings)

    def close(self) -> None:
        """Closes what was opened; the embedded server runs on."""
        for name in ("reading", "database"):
            if name in self.__dict__:
                self.__dict__[name].close()
