"""Webhooks, which announce turns: addresses, sending, their API and pages."""
