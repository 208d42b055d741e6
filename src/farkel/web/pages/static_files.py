"""Static files: scripts, styles and icons, under addresses that name their content."""

from __future__ import annotations

import os

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import PathLike, StaticFiles

from farkel.web.http.middleware import Scope
from farkel.web.pages.rendering import STATIC, version

router = APIRouter(include_in_schema=False)

KEPT = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """Static files: kept for a year under the address that names their content, else asked for again each time."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        name = os.path.relpath(full_path, os.path.realpath(STATIC))
        current = scope["query_string"] == f"v={version(name)}".encode()
        response.headers["cache-control"] = KEPT if current else "no-cache"
        return response


static = Assets(directory=STATIC, check_dir=False)


@router.get("/favicon.ico")
async def favicon() -> Response:
    """Return the icon, for browsers that ask for it without being told where it is: beside records and
    JSON, for instance.
    """
    return FileResponse(
        STATIC / "icon.ico", media_type="image/x-icon", headers={"cache-control": "public, max-age=86400"}
    )
