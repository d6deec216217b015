"""The nightly audit: rules over the whole bundle, with the gate's own predicates among them."""
