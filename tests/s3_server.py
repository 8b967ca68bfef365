"""The part of S3 that reading needs, as a real server in a thread: objects, parts of them, lists of keys."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer on a connection that was used before takes 40 ms more
    server: Any

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        bucket, _, key = unquote(url.path).strip("/").partition("/")
        objects: Mapping[str, bytes] = self.server.buckets.get(bucket, {})
        self.server.seen.append((self.command, key, self.headers.get("Range", "")))
        query = parse_qs(url.query)
        if "list-type" in query:
            self._list(objects, query.get("prefix", [""])[0], query.get("delimiter", [""])[0])
        elif key in objects:
            self._give(objects[key])
        else:
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _give(self, content: bytes) -> None:
        headers = {
            "ETag": f'"{hashlib.md5(content).hexdigest()}"',
            "Last-Modified": formatdate(0, usegmt=True),
        }
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not found:
            self._send(200, content, **headers)
            return
        start, end = int(found[1]), min(int(found[2]), len(content) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
        self._send(206, content[start : end + 1], **headers)

    def _list(self, objects: Mapping[str, bytes], prefix: str, delimiter: str) -> None:
        keys = [key for key in sorted(objects) if key.startswith(prefix)]
        folders = {
            prefix + key.removeprefix(prefix).partition(delimiter)[0] + delimiter
            for key in keys
            if delimiter and delimiter in key.removeprefix(prefix)
        }
        keys = [key for key in keys if not any(key.startswith(folder) for folder in folders)]
        rows = [
            f"<Contents><Key>{escape(key)}</Key><Size>{len(objects[key])}</Size>"
            f"<ETag>&quot;{hashlib.md5(objects[key]).hexdigest()}&quot;</ETag>"
            "<LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>"
            for key in keys
        ]
        rows += [
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in sorted(folders)
        ]
        body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(rows)}</ListBucketResult>"
        self._send(200, body.encode(), **{"Content-Type": "application/xml"})

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class S3Server:
    """Serves `buckets` ({bucket: {key: content}}) on 127.0.0.1 while the block runs."""

    def __init__(self, buckets: dict[str, dict[str, bytes]]) -> None:
        self.buckets = buckets
        self.seen: list[tuple[str, str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.buckets = buckets  # type: ignore[attr-defined]
        self._server.seen = self.seen  # type: ignore[attr-defined]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> S3Server:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
