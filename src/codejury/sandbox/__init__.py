"""The wall: isolation tiers, limits, fork server."""
