"""The four jobs by which an operator stops a writer and lets it go on, softly by its flag or hard by its role."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import KILLABLE, PAUSABLE, Writer
from viska_assets.supervise import killing, pausing


class WriterConfig(dg.Config):
    """Which writer (ingestion, nous, plutus, mastra), why, and on whose word."""

    writer: str
    reason: str
    actor: str = "operator"


@dg.op
def lower_flag(context: dg.OpExecutionContext, home: HomeResource, config: WriterConfig) -> None:
    """Lowers the writer's flag: nothing it has not committed yet will be."""
    opened, writer = home.open(), _writer(config, PAUSABLE)
    number = pausing.pause(
        opened.settings, opened.database, writer, reason=config.reason, requested_by=f"human:{config.actor}"
    )
    context.add_output_metadata({"writer": writer.value, "flag_no": number})


@dg.op
def raise_flag(context: dg.OpExecutionContext, home: HomeResource, config: WriterConfig) -> None:
    """Raises the writer's flag again."""
    opened, writer = home.open(), _writer(config, PAUSABLE)
    number = pausing.resume(
        opened.settings, opened.database, writer, reason=config.reason, requested_by=f"human:{config.actor}"
    )
    context.add_output_metadata({"writer": writer.value, "flag_no": number})


@dg.op
def disable_role(context: dg.OpExecutionContext, home: HomeResource, config: WriterConfig) -> None:
    """Disables the writer's role and ends its sessions until none is left."""
    opened, writer = home.open(), _writer(config, KILLABLE)
    try:
        killed = killing.kill(
            opened.settings, opened.database, writer, reason=config.reason, requested_by=f"human:{config.actor}"
        )
    except (killing.KillError, RolesError) as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata(
        {"writer": writer.value, "sessions_ended": killed.sessions, "milliseconds": killed.milliseconds}
    )


@dg.op
def enable_role(context: dg.OpExecutionContext, home: HomeResource, config: WriterConfig) -> None:
    """Lets the writer's role log in again."""
    opened, writer = home.open(), _writer(config, KILLABLE)
    try:
        killing.revive(
            opened.settings, opened.database, writer, reason=config.reason, requested_by=f"human:{config.actor}"
        )
    except RolesError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"writer": writer.value})


def _writer(config: WriterConfig, among: tuple[Writer, ...]) -> Writer:
    if config.writer not in [writer.value for writer in among]:
        raise dg.Failure(f"name one of {', '.join(among)}, not {config.writer!r}", allow_retries=False)
    return Writer(config.writer)


@dg.job
def pause_writer() -> None:
    """Pauses a writer by its flag."""
    lower_flag()


@dg.job
def resume_writer() -> None:
    """Lets a paused writer write again."""
    raise_flag()


@dg.job
def kill_writer() -> None:
    """Disables a writer's role and ends its sessions."""
    disable_role()


@dg.job
def revive_writer() -> None:
    """Lets a disabled writer log in again."""
    enable_role()


JOBS = (pause_writer, resume_writer, kill_writer, revive_writer)
