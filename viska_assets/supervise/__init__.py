"""The supervised loop's floor: connecting as a writer, pausing, killing, proving the roles, sealing the audit."""

from viska_assets.supervise.connecting import connect

__all__ = ["connect"]
