"""coaching."""
