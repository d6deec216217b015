"""Nous: one run looks at one claimed subject, reasons over cleaned text, and proposes. It approves nothing."""
