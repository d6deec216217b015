"""The bundle's format: page to typed page and back, links, citations, index, log and OKF conformance. Pure."""
