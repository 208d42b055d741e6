"""Draw the icons of the app from ``static/icon.svg``: ``python tests/make_icons.py``. Needs Chromium."""

from __future__ import annotations

from browser_helpers import browsing
from farkel.web.pages.rendering import STATIC

GROUND = "#14534f"
ICONS = {"192": (192, 1.0, ""), "512": (512, 1.0, ""), "maskable": (512, 0.8, GROUND), "touch": (180, 1.0, GROUND)}
"""Width in pixels, the part of it that the drawing takes, and the ground. Of maskable ones only the middle is sure."""


def main() -> None:
    drawing = (STATIC / "icon.svg").read_text("utf-8")
    folder = STATIC / "icons"
    folder.mkdir(exist_ok=True)
    with browsing() as browser:
        for name, (width, part, ground) in ICONS.items():
            page = browser.new_page(viewport={"width": width, "height": width})
            inside = round(width * part)
            style = f"margin:0;background:{ground or 'transparent'};display:grid;place-items:center;height:100vh"
            box = f"width:{inside}px;line-height:0"
            page.set_content(f'<body style="{style}"><div style="{box}">{drawing}</div></body>')
            page.screenshot(path=str(folder / f"{name}.png"), omit_background=True)
            page.close()


if __name__ == "__main__":
    main()
