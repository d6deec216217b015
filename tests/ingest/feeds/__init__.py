"""Tests of the feeds, against local servers with faults."""
