"""Where state lives: Postgres, raw blobs, the git bundle and the registry. All SQL of Viska stands here."""
