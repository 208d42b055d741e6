"""What makes the site an app: its manifest, its service worker, and the page for times without a network."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from farkel.coach.noted_turns import dice_matter
from farkel.rules import Rules
from farkel.web.game.views import TableView, TurnView
from farkel.web.pages.rendering import STATIC, asset, page

router = APIRouter()

ASSETS = (
    "tokens.css",
    "style.css",
    "offline.css",
    "settings.js",
    "app.js",
    "typed.js",
    "offline.js",
    "icon.svg",
    "icons/192.png",
)
"""The parts of the page without a network."""


@router.get("/offline")
async def offline() -> Response:
    """Return the page that a browser shows without a network: it says so, and continue with score sheets of
    real dice.
    """
    return page("offline.html")


@router.get("/sw.js")
async def worker() -> Response:
    """Return the service worker. Its text changes with everything that it keeps, so that browsers renew that."""
    return Response(_worker(), media_type="text/javascript")


@router.get("/manifest.webmanifest")
async def manifest() -> Response:
    """Return the app's manifest: name, icons and colours."""
    icons = [
        {"src": asset("icons/192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": asset("icons/512.png"), "sizes": "512x512", "type": "image/png"},
        {"src": asset("icons/maskable.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        {"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
    ]
    said = {
        "id": "/",
        "name": "Farkel",
        "short_name": "Farkel",
        "description": "The dice game Farkle under any house rules",
        "lang": "en",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#edf1ef",
        "theme_color": "#14534f",
        "icons": icons,
    }
    return JSONResponse(said, media_type="application/manifest+json")


@cache
def _worker() -> str:
    kept = [asset(name) for name in ASSETS]
    shown = bytes(page("offline.html").body)
    version = sha256(b"".join([shown, json.dumps(kept).encode()])).hexdigest()[:12]
    head = f"const VERSION = {json.dumps(version)};\nconst ASSETS = {json.dumps(kept)};\n"
    return head + (STATIC / "sw.js").read_text("utf-8")


def sheet_kept(view: TableView, rules: Rules, rows: list[list[TurnView | None]]) -> dict[str, Any] | None:
    """Return the data with which the host's browser continues a table with real dice offline; None for others.

    ``rows`` are the rounds of the score sheet.
    """
    if view.dice != "manual" or not view.host:
        return None
    bots = any(seat.who.startswith("bot:") for seat in view.seats)
    return {
        "title": view.title,
        "names": [seat.name for seat in view.seats],
        "playing": [seat.status == "in" for seat in view.seats],
        "scores": [seat.score for seat in view.seats],
        "rounds": [[_said(turn) for turn in row] for row in rows],
        "turn": view.turn,
        "seat": view.seat,
        "number": view.number,
        "dice": rules.dice,
        "asks_dice": dice_matter(rules),
        "open": view.started and not view.over and not bots and view.phase in ("offer", "roll", "keep"),
    }


def _said(turn: TurnView | None) -> str:
    if turn is None:
        return ""
    return "Skipped" if turn.passed else "Farkle" if turn.farkle else f"+{turn.points:,}"
