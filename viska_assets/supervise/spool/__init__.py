"""Writes that wait while the database is away: one file each, replayed once, through the same rules as any write."""
