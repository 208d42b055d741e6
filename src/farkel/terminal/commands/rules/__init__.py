"""Rule sets, and what rolls are worth under them."""
