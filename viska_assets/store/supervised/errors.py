"""What goes wrong with the writers as roles."""


class RolesError(RuntimeError):
    """The writers' roles are not there, or may not be made; the message says the mend."""
