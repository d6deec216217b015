"""Demote and rollback: who answers questions of synthesis shape is one flag, and each flip of it leaves its trail."""

from collections.abc import Callable

from viska_assets.maintain.engine_version import answering_engine_of
from viska_assets.parity.running import ParityError, Recorded
from viska_assets.store.home import Home
from viska_assets.store.parity_gate import Flip, FlipAction, Tier, add_flip, tier_in_force


def demote(home: Home, run: Callable[[], Recorded], *, actor: str, reason: str) -> Flip:
    """Hands questions of synthesis shape to the synthesis tier, after a run made now that passes.

    Args:
        home: whose flag is flipped.
        run: makes a parity run and stores it.
        actor: who asks for it.
        reason: why.

    Raises:
        ParityError: where the run is no PASS, or synthesis answers already; nothing is flipped then.
    """
    _say_who(actor, reason)
    with home.database.transaction() as connection:
        if tier_in_force(connection) is Tier.SYNTHESIS:
            raise ParityError("synthesis answers already; roll back first, or leave it")
    recorded = run()
    stored = recorded.stored
    if not recorded.passed:
        raise ParityError(
            f"refused: parity run {stored.run_id} of engine {stored.engine} is {stored.verdict} "
            f"({recorded.run.decision.why}); retrieval goes on answering"
        )
    with home.database.transaction() as connection:
        return add_flip(
            connection, FlipAction.DEMOTE, engine=stored.engine, run_id=stored.run_id, actor=actor, reason=reason
        )


def rollback(home: Home, *, actor: str, reason: str) -> Flip:
    """Gives questions of synthesis shape back to the retrieval tier, at once; nothing is indexed anew.

    Raises:
        ParityError: where retrieval answers already.
    """
    _say_who(actor, reason)
    with home.database.transaction() as connection:
        if tier_in_force(connection) is Tier.RETRIEVAL:
            raise ParityError("retrieval answers already; there is nothing to roll back")
        engine = answering_engine_of(home.settings)
        return add_flip(connection, FlipAction.ROLLBACK, engine=engine, run_id=None, actor=actor, reason=reason)


def _say_who(actor: str, reason: str) -> None:
    if not actor.strip() or not reason.strip():
        raise ParityError("a flip names who asks for it and why; give actor and reason")
