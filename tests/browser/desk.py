"""What browser tests about work share: people and work put into a server's workspace, keys counted."""

from __future__ import annotations

from annotation.editing import assignments
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.workspace.workspace import Workspace
from tests.browser.conftest import Server
from ui.auth.current_person import COOKIE


class Desk:
    """The workspace of a running server, from beside."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.space = Workspace(server.workspace)
        self.store = self.space.store
        self.owner = self.space.owner()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.space.close()

    def person(self, name: str, role: str = "annotator") -> Person:
        return self.space.add_person(name, role)

    def video(self, title: str) -> Video:
        return self.store.find(Video, title=title)[0]

    def give(self, to: Person, titles: list[str], task: str = "script") -> None:
        videos = [self.video(title).id for title in titles]
        assignments.assign(self.store, self.owner, videos, to.id, task)

    def states(self, who: Person) -> dict[str, str]:
        titles = {video.id: video.title for video in self.store.find(Video)}
        return {titles[row.video_id]: row.state for row in assignments.work_of(self.store, who.id)}


def work_as(page, server: Server, who: Person) -> None:
    """The page's next request is this person's."""
    page.context.add_cookies([{"name": COOKIE, "value": who.id, "url": server.url}])


class Keys:
    """The keyboard, counted."""

    def __init__(self, page) -> None:
        self.page = page
        self.pressed = 0

    def press(self, key: str) -> None:
        self.pressed += 1
        self.page.keyboard.press(key)
