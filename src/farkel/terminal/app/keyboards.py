"""Keys of other alphabets, by their places: who types Cyrillic need not change the keyboard to press R."""

from __future__ import annotations

from textual.events import Key

PLACES = "qwertyuiopasdfghjklzxcvbnm"
LAYOUTS = (
    "йцукенгшщзфывапролдячсмить",  # Russian
    "йцукенгшўзфівапролдячсмить",  # Ukrainian and Belarusian, where they differ
    "ضصثقفغعهخحشسيبلاتنمئءؤرﻻىة",  # Arabic
    " ςερτυθιοπασδφγηξκλζχψωβνμ",  # Greek
    "  קראטוןםפשדגכעיחלךזסבהנמצ",  # Hebrew
)
"""The letters in the places of the English ones; a space where there is another sign."""
ENGLISH = {letter: place for layout in LAYOUTS for letter, place in zip(layout, PLACES, strict=True) if letter != " "}


def in_its_place(event: Key) -> Key:
    """Return the key as if it had been pressed on an English keyboard; one that types something there already as is."""
    letter = (event.character or "").lower()
    if letter in ENGLISH:
        typed = ENGLISH[letter]
    elif letter.isdecimal():
        typed = str(int(letter))
    else:
        return event
    typed = typed if letter == event.character else typed.upper()
    return event if typed == event.character else Key(typed, typed)
