"""One parser a format; each yields a ``ParsedDocument`` through the ``DocumentBuilder``."""
