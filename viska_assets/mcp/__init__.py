"""The function layer for agents: a Model Context Protocol server over stdio and streamable HTTP."""
