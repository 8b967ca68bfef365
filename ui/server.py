"""Serve the app with uvicorn."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec

from annotation.stages.stage_context import Engines
from annotation.workspace.limit_settings import Limits
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from backends.idle_models import give_back_memory
from ui.auth.current_person import ANYBODY, AuthRules
from ui.auth.host_names import OwnNames
from ui.auth.site_address_and_cookies import ANYWHERE, Site, is_loopback
from ui.commands.terminal_output import say
from ui.requests.end_with_server import EndWithServer
from ui.requests.request_size_limits import DEMO


def check_address(host: str, port: int, *, protected: bool) -> None:
    """Raises UsageError if the port is taken, or if others can reach the address without a password."""
    if not is_loopback(host) and not protected:
        raise UsageError(
            f"{host} can be reached by others: add --accounts (python app.py account add NAME admin), "
            "--auth FILE, --oidc ISSUER, or --insecure if everyone who reaches it may do everything"
        )
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError(
                f"cannot listen on {host}:{port} ({error.strerror}); try --port {port + 1}"
            ) from None


def check_mcp() -> None:
    """Raises UsageError if the package for `serve --mcp` is not installed."""
    if find_spec("mcp") is None:
        raise UsageError("--mcp needs the package mcp; type: pip install -r requirements-mcp.txt")


def serve_app(
    workspace: Workspace,
    engines: Callable[[], Engines],
    host: str,
    port: int,
    rules: AuthRules = ANYBODY,
    *,
    site: Site = ANYWHERE,
    allow_host: Iterable[str] = (),
    for_agents: bool = False,
    proxies: Sequence[str] = (),
) -> None:
    """Serve until the server is stopped. `allow_host` is passed to `OwnNames`, the rest to `build_app`.

    `proxies` are addresses and networks whose X-Forwarded-For and X-Forwarded-Proto headers are used. From
    other clients these headers are ignored: otherwise a client could choose the address used for rate limits.
    """
    import uvicorn

    from ui.web_app import build_app

    give_back_memory()  # of the sample's run
    names = OwnNames.of(host, port, site.url, allow_host)
    app = build_app(workspace, engines, rules, site=site, names=names, for_agents=for_agents)
    say(f"Dailies is on {_address(host, port)}  (Ctrl-C ends it)")
    config = uvicorn.Config(
        EndWithServer(app),
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=5,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
    )

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.parts.events.close()  # otherwise the shutdown waits for pages that listen for events
            app.state.parts.media.end_waiting()  # and cuts off requests that wait for pictures
            await super().shutdown(sockets)

    server = Server(config)
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(3)  # as uvicorn.run does; the reason is in its log


def serve_demo(engines: Callable[[], Engines], limits: Limits, host: str, port: int) -> None:
    """Serve only the Demo page, until the server is stopped."""
    import uvicorn

    from ui.demo.demo_app import demo_alone

    app = demo_alone(engines, limits)
    say(f"The Demo page of Dailies is on {_address(host, port)}{DEMO}/  (Ctrl-C ends it)")
    with suppress(KeyboardInterrupt):
        uvicorn.run(
            EndWithServer(app),
            host=host,
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=5,
            proxy_headers=False,
        )


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
