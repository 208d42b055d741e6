"""Static files: scripts, styles and icons, under addresses that name their content."""

from __future__ import annotations

import os
import re

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import PathLike, StaticFiles

from farkel.web.http.middleware import Scope
from farkel.web.pages.rendering import STATIC, asset, place

router = APIRouter(include_in_schema=False)

KEPT = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """Static files: kept for a year under the address that names their content, else asked for again each time."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        name = os.path.relpath(full_path, os.path.realpath(STATIC)).replace(os.sep, "/")
        asked = scope["path"].removeprefix("/") + (
            f"?{query}" if (query := scope["query_string"].decode("latin-1")) else ""
        )
        response.headers["cache-control"] = KEPT if asset(name) == place().root + asked else "no-cache"
        return response

    def get_path(self, scope: Scope) -> str:
        """Return the path of a file, without the version of its folder."""
        return re.sub(r"^(\w+)@[0-9a-f]+", r"\1", super().get_path(scope))


static = Assets(directory=STATIC, check_dir=False)


@router.get("/favicon.ico")
async def favicon() -> Response:
    """Return the icon, for browsers that ask for it without being told where it is: beside records and
    JSON, for instance.
    """
    return FileResponse(
        STATIC / "icon.ico", media_type="image/x-icon", headers={"cache-control": "public, max-age=86400"}
    )
