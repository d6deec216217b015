"""From pages to a graph: nodes, link and citation edges, neighbours and paths. Pure."""
