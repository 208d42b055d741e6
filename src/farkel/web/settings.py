"""How a server is set up."""

from __future__ import annotations

from dataclasses import dataclass, field

MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60

NEEDS_SERVER = (
    "friends far away, groups and messages need a Farkel server: run make serve, or farkel serve, on a computer that "
    "everyone can reach"
)
"""What pages that are alone say of what they cannot do, and where it can be had."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the one who runs a server may choose. Times are seconds."""

    database: str
    """An address as SQLAlchemy writes it."""
    public_url: str = ""
    """Where players reach the server, for links; "": as the browser that asks reached it."""
    root: str = "/"
    """The path under which everything lies for a browser, with a slash at its end. Whatever passes requests on takes it
    off their paths, and puts it before the paths that answers redirect to."""
    alone: bool = False
    """Whether the pages stand in a folder: no server is there, and nobody but the people at this browser."""
    room_url: str = ""
    """Where other devices in the room reach the server; "": nowhere that is known. For links that a browser on the
    server's own machine shows, which reached it by a name that works only there."""
    operator_token: str = field(default="", repr=False)
    """Opens ``/healthz`` and ``/metrics`` from elsewhere; "": only the machine itself may look."""
    pace: float = 0.6
    """Between two things that a bot does at a steady speed, so that people can follow."""
    prepares: bool = False
    """Whether bots are made ready for the sets of the catalogue before anyone asks for them."""
    most_open: int = 10_000
    """Games that may be open at once: not over, and touched within `open_for`. When there are as many, a new one takes
    the place of one that nobody has played."""
    always_open: int = 3
    """An address that has opened fewer games lately may open one even when there are as many and all are played."""
    open_for: float = 7 * DAY
    opened_an_hour: int = 240
    """Games that one address may open in an hour."""
    codes_an_hour: int = 240
    """Wrong codes of invitations that one address may try in an hour."""
    work_a_minute: float = 15.0
    """Seconds of processor time for the requests of one address in a minute; later ones must wait."""
    most_at_once: int = 4
    """Requests of one address that a process answers at once; others of it wait, in their order."""
    most_streams: int = 120
    """Event streams that one address may hold open."""
    most_body: int = 64 * 1024
    """Bytes of a request."""
    most_record: int = 256 * 1024
    """Bytes of a record that is opened to be watched: some 3,500 events."""
    most_connections: int = 320
    """Connections that one address may have; behind a proxy that is for the proxy to limit."""
    head_time: float = 15.0
    """For the head of a request, from the opening of its connection."""
    body_time: float = 30.0
    """For the body of a request."""
    read_time: float = 10.0
    """For a client to take some more of its answer."""
    most_calculations: int = 8
    """Calculations that one address may have under way or waiting."""
    heartbeat: float = 15.0
    """Between signs of life on an event stream; also how often a seat that is there says so."""
    away_after: float = 40.0
    """Without a sign of life for so long a seat is away."""
    most_tables: int = 4_096
    """Games that are held in memory; others are read again when they are wanted."""
    idle: float = 5 * MINUTE
    """Time after which a game that is neither played nor watched is dropped from memory."""
    working: float = 30.0
    """For so long a process that has something to do for a game keeps the others from doing it too."""
    look: float = 1.0
    """How often the server looks for work of its own."""
    private_hooks: bool = False
    """Whether webhooks may lead to addresses that are not public, such as those of machines in the room."""
    proxied: bool = False
    """Whether a proxy in front says in X-Forwarded-For who asks."""
