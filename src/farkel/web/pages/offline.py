"""What makes the site an app: its manifest, its service worker, and the page for times without a network."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from farkel.web.pages.rendering import STATIC, asset, page, place

router = APIRouter()
without_network = APIRouter()
"""What a browser keeps for times without a network, and how."""

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


@without_network.get("/offline")
async def offline() -> Response:
    """Return the page that a browser shows without a network: it says so, and continue with score sheets of
    real dice.
    """
    return page("offline.html")


@without_network.get("/sw.js")
async def worker() -> Response:
    """Return the service worker. Its text changes with everything that it keeps, so that browsers renew that."""
    return Response(_worker(place().root), media_type="text/javascript")


@router.get("/manifest.webmanifest")
async def manifest() -> Response:
    """Return the app's manifest: name, icons and colours."""
    root = place().root
    icons = [
        {"src": asset("icons/192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": asset("icons/512.png"), "sizes": "512x512", "type": "image/png"},
        {"src": asset("icons/maskable.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        {"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
    ]
    said = {
        "id": root,
        "name": "Farkel",
        "short_name": "Farkel",
        "description": "The dice game Farkle under any house rules",
        "lang": "en",
        "start_url": root,
        "scope": root,
        "display": "standalone",
        "background_color": "#edf1ef",
        "theme_color": "#14534f",
        "icons": icons,
    }
    return JSONResponse(said, media_type="application/manifest+json")


@cache
def _worker(root: str) -> str:
    kept = [asset(name) for name in ASSETS]
    shown = bytes(page("offline.html").body)
    version = sha256(b"".join([shown, json.dumps(kept).encode()])).hexdigest()[:12]
    known = {"ROOT": root, "VERSION": version, "ASSETS": kept}
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in known.items())
    return head + (STATIC / "sw.js").read_text("utf-8")
