"""What leaves the house and what comes in from Slack: digests, pushes, commands, and word by another way."""
