"""Figures that Viska computes itself: each as a stored calculation document, which pages then cite like any other."""
