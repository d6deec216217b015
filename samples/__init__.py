"""The sample feed and the programs that build it, byte for byte the same on every machine."""
