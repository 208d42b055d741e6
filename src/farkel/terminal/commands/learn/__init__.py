"""Learning: advice, reviews, charts and exact answers."""
