"""``python -m viska_assets.cli``: the ``viska`` command of this interpreter."""

from viska_assets.cli.main import main

main()
