"""The governance daemon: measures, pure decisions over them, and what is then done, as the role governance.

No model and no network is known here: what stops writers must not depend on either.
"""
