"""Download from object stores through fsspec: S3, Google Cloud Storage, Azure.

Keys and endpoints come from the environment and the settings of the server, never from a URL.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

from backends.errors import BackendUnavailable, DailiesError, MediaError
from backends.remote.source_protocol import Broken, Opened
from backends.remote.url_rules import RemoteUrl, read_url

T = TypeVar("T")
PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "abfs": "adlfs"}
PIECE = 1 << 22
MOST_LISTED = 10_000


def is_installed(scheme: str) -> bool:
    return importlib.util.find_spec(PACKAGES[scheme]) is not None


@dataclass(frozen=True)
class StoreSource:
    """One object, or a folder of objects. `options` are passed to fsspec's class."""

    url: RemoteUrl
    options: Mapping[str, Any]

    @cached_property
    def _files(self) -> Any:
        """Create the file system. Raises BackendUnavailable if the package is missing."""
        import fsspec

        scheme = self.url.scheme
        if not is_installed(scheme):
            raise BackendUnavailable(
                f"{scheme}:// needs {PACKAGES[scheme]}; type: pip install -r requirements-remote.txt"
            )
        usual = {"skip_instance_cache": True, "use_listings_cache": False}
        return self._tried(lambda: fsspec.filesystem(scheme, **{**self.options, **usual}))

    @property
    def _key(self) -> str:
        return f"{self.url.host}{self.url.path}"

    def open(self, offset: int, etag: str) -> Opened:
        """Open the object as `Source.open`."""
        about = self._about()
        same = bool(etag) and about["etag"] == etag
        start = offset if same else 0
        return Opened(start, about["size"], about["etag"], self._pieces(start, about), lambda: None)

    def _about(self) -> dict[str, Any]:
        info = self._tried(lambda: self._files.info(self._key))
        if info.get("type") == "directory" or not isinstance(info.get("size"), int):
            raise MediaError(f"{self.url.shown}: not a file; end the URL of a folder with a slash")
        return {"size": info["size"], "etag": str(info.get("ETag") or info.get("etag") or "")}

    def _pieces(self, start: int, about: Mapping[str, Any]) -> Iterator[bytes]:
        for begin in range(start, about["size"], PIECE):
            end = min(begin + PIECE, about["size"])
            yield self._tried(partial(self._files.cat_file, self._key, start=begin, end=end))
        if self._about() != about:
            raise Broken("the file changed during the download")

    def videos(self, suffixes: Collection[str]) -> list[RemoteUrl]:
        """Return the files in the folder and its subfolders with one of these suffixes, sorted.

        Raises MediaError if there are none, or too many.
        """
        found = self._tried(lambda: self._files.find(self._key))
        names = sorted(name for name in found if f".{name.rpartition('.')[2].lower()}" in suffixes)
        if not names or len(names) > MOST_LISTED:
            what = f"{len(names):,} videos, too many" if names else "no videos"
            raise MediaError(f"{self.url.shown}: {what} in this folder; name another folder")
        return [read_url(f"{self.url.scheme}://{name}") for name in names]

    def _tried(self, do: Callable[[], T]) -> T:
        """Call `do` and translate its errors: fsspec's are of many kinds, and may name keys or endpoints."""
        try:
            return do()
        except DailiesError:
            raise
        except FileNotFoundError:
            raise MediaError(f"{self.url.shown}: the store has no such file; check the URL") from None
        except PermissionError:
            raise MediaError(f"{self.url.shown}: the store denies access; check the server's keys") from None
        except (OSError, TimeoutError) as error:
            raise Broken(f"the store does not answer ({type(error).__name__})") from None
        except Exception as error:  # noqa: BLE001 - botocore, google and azure share no base class
            raise MediaError(
                f"{self.url.shown}: the request to the store failed ({type(error).__name__}); check the "
                "server's keys and endpoint (docs/remote.md)"
            ) from None
