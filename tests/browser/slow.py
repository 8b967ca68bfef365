"""Pages of a slow network and a slow machine, for finding what only goes well when everything is fast."""

from __future__ import annotations

import re
from typing import Any

CAME_WITH_IT = re.compile(r'(id="dl-first-answers">).*?(?=</script>)', re.DOTALL)
DELAY = """
(() => {
  const quick = window.fetch.bind(window);
  const [going, coming] = [%d, %d];
  const later = (least) => new Promise((go) => setTimeout(go, least * (1 + 1.7 * Math.random())));
  window.fetch = async (what, options) => {
    const ours = /\\/api\\//.test(what.url || what);
    if (ours && going && !options?.keepalive) await later(going);
    const answer = await quick(what, options);
    if (ours && coming) await later(coming);
    return answer;
  };
})();
"""

NEVER_SAVED = """() => {
  const { fetch } = window;
  window.fetch = (to, options) => (options.method === 'POST' ? new Promise(() => {}) : fetch(to, options));
}"""
"""Nothing that this page sends arrives, and it is not told so: a request that is aborted has ended."""


def delayed(going_ms: int, coming_ms: int) -> str:
    """A script for a page: every request of ours leaves after `going_ms` to 2.7 times as many milliseconds,
    every reply comes so much later, so that they overtake one another as well. What a page sends while it is
    left goes out at once, as in a browser on a slow line."""
    return DELAY % (going_ms, coming_ms)


def slow_down(browser: Any, replies_ms: int, processor: float) -> None:
    """From now on, contexts and pages of this browser have slow replies (0: as they are) and a processor
    that is slower by a factor (1: as it is)."""

    def prepared(make: Any) -> Any:
        def made(*arguments: Any, **options: Any) -> Any:
            thing = make(*arguments, **options)
            if replies_ms:
                slow_replies(thing, replies_ms)
            pages = thing.pages if hasattr(thing, "pages") else [thing]
            for page in pages:
                throttle(page, processor)
            return thing

        return made

    browser.new_page = prepared(browser.new_page)
    browser.new_context = prepared(browser.new_context)


def slow_replies(thing: Any, least_ms: int) -> None:
    """Of a page, or of the pages of a context, from its next document on."""
    thing.add_init_script(delayed(0, least_ms))


def throttle(page: Any, factor: float) -> None:
    if factor > 1:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})


def without_first_answers(route: Any) -> None:
    """For a document: the page has to ask for everything itself, as where the server is slow."""
    answer = route.fetch()
    route.fulfill(response=answer, body=CAME_WITH_IT.sub(r"\1{}", answer.text()))
