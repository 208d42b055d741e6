"""Measuring: many games, tournaments, agents, policies and dice."""
