"""The rules in the browser: catalogue, sheets, and the editor for house rules."""
