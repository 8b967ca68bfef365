"""Six pages in one document: the player goes along, links and the way back work, a page that is left ends."""

from __future__ import annotations

from tests.browser.conftest import Server, expect, open_page, until

PLAYER = "() => document.querySelector('.dl-player video')"
MARKED = "() => window.markedVideo === document.querySelector('.dl-player video')"
READY = ".dl-root[data-ready][data-page={}]"
CAME = "() => Object.keys(JSON.parse(document.querySelector('#dl-first-answers').textContent))"
PLAYS = """() => new Promise((done) => {
  const video = document.querySelector('.dl-player video');
  const from = video.currentTime;
  const end = performance.now() + 5000;
  const look = () => {
    const goes = !video.paused && video.currentTime > from;
    if (goes || performance.now() > end) done(goes);
    else setTimeout(look, 50);
  };
  look();
})"""
"""Whether the video goes on from where it is, within five seconds."""


def video_id(page, server: Server) -> str:
    return str(page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"])


def test_the_video_plays_on_when_the_page_changes(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts?video={video_id(page, server)}")
    expect(page.locator(".dl-shown.dl-is-confirmed")).to_be_visible()
    page.evaluate("() => { window.markedVideo = document.querySelector('.dl-player video'); }")
    page.keyboard.press("Shift+.")
    page.keyboard.press("Space")
    assert page.evaluate(PLAYS)
    before = page.evaluate("() => document.querySelector('.dl-player video').currentTime")
    page.keyboard.press("Alt+Shift+s")
    page.wait_for_selector(READY.format("script"))
    expect(page.locator(".dl-scripttitle h1")).to_be_visible()
    assert page.evaluate(MARKED) and page.evaluate(PLAYS)
    assert page.evaluate("() => document.querySelector('.dl-player video').currentTime") > before
    for name in ("split", "keyframes", "verdicts"):
        page.get_by_role("link", name=name.capitalize(), exact=True).first.click()
        page.wait_for_selector(READY.format(name))
        page.wait_for_selector(".dl-player video")
        assert page.evaluate(MARKED), name
        assert page.evaluate(PLAYS), name


def test_back_and_forward_go_through_pages_and_their_places(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=3")
    expect(page.locator(".dl-shown.dl-is-confirmed")).to_be_visible()
    script = page.url
    page.evaluate("() => { window.sameDocument = true; }")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Scores").click()
    page.wait_for_selector(READY.format("scores"))
    expect(page).to_have_title("Scores · Dailies")
    page.go_back()
    page.wait_for_selector(READY.format("script"))
    until(lambda: page.url == script, page)
    expect(page.locator(".dl-inscene")).to_contain_text("scene 3/")
    page.go_forward()
    page.wait_for_selector(READY.format("scores"))
    assert page.evaluate("() => window.sameDocument")


def test_a_detour_comes_back_to_the_question_and_the_filter(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts?state=no&sort=verdict")
    page.locator(".dl-q").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("j")
    third = page.locator(".dl-item").nth(2)
    expect(third).to_have_attribute("aria-selected", "true")
    words = third.locator(".dl-item-words").inner_text()
    expect(page.locator(".dl-q")).to_have_text(words)
    chosen = page.evaluate("() => new URLSearchParams(location.search).get('evaluation')")
    scores = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Scores")
    assert f"evaluation={chosen}" in (scores.get_attribute("href") or "")
    for name in ("script", "library", "scores"):
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=name.capitalize()).click()
        page.wait_for_selector(READY.format(name))
        page.keyboard.press("Alt+Shift+v")
        page.wait_for_selector(READY.format("verdicts"))
        expect(page.locator(".dl-q")).to_have_text(words)
        assert "state=no" in page.url and "sort=verdict" in page.url
        expect(page.locator(".dl-chip")).to_be_hidden()


def test_a_list_of_one_video_is_still_that_after_a_detour(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?video={video_id(page, server)}")
    for name in ("verdicts", "script", "verdicts"):
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=name.capitalize()).click()
        page.wait_for_selector(READY.format(name))
    until(lambda: "qa=" in page.url, page)
    expect(page.locator(".dl-chip")).to_be_visible()
    page.reload()
    expect(page.locator(".dl-chip")).to_be_visible()
    page.get_by_role("button", name="Show all videos").click()
    expect(page.locator(".dl-chip")).to_be_hidden()
    assert "only=" not in page.url


def test_words_in_a_dialog_of_a_page_that_is_left_are_given_back(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    page.wait_for_selector(".dl-sx-row")
    page.keyboard.press("Alt+Shift+v")
    page.wait_for_selector(READY.format("verdicts"))
    page.locator(".dl-q").wait_for()
    page.keyboard.press("x")
    page.get_by_role("dialog").get_by_role("textbox").wait_for()
    page.keyboard.type("it asks for two things")
    page.evaluate("() => history.back()")
    page.wait_for_selector(READY.format("split"))
    expect(page.locator(".dl-notice", has_text="Not written")).to_contain_text("“it asks for two things”")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator(".dl-notice", has_text="Not written")).to_have_count(1)


def test_a_page_that_is_left_listens_and_asks_no_longer(server: Server, page) -> None:
    open_page(page, f"{server.url}/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("Alt+Shift+c")
    page.wait_for_selector(READY.format("scores"))
    page.wait_for_load_state("networkidle")
    asked.clear()
    page.evaluate("() => document.dispatchEvent(new CustomEvent('dl-changed', { detail: { changes: [] } }))")
    until(lambda: any("/api/scoring/table" in url for url in asked), page)
    page.wait_for_load_state("networkidle")
    assert not any("/api/library" in url for url in asked)
    page.keyboard.press("j")  # a key of the Library
    page.keyboard.press("Enter")
    assert "/scores" in page.url


def test_what_is_typed_is_saved_before_the_page_goes(server: Server, page) -> None:
    video = video_id(page, server)
    open_page(page, f"{server.url}/script?video={video}&scene=2")
    expect(page.locator(".dl-shown.dl-is-confirmed")).to_be_visible()
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" and then it rains")
    page.keyboard.press("Alt+Shift+k")
    page.wait_for_selector(READY.format("keyframes"))
    script = page.request.get(f"{server.url}/api/script/{video}").text()
    assert "and then it rains" in script


def test_what_came_with_the_document_is_not_asked_for(server: Server, page) -> None:
    video = video_id(page, server)
    verdicts = page.request.get(f"{server.url}/api/verdicts").json()["rows"]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(server.url)))
    for address in (
        "/verdicts",
        f"/verdicts?video={video}",
        f"/verdicts?qa={verdicts[3]['verdict_id']}",
        "/verdicts?state=no&q=the+boat*~ä&aspect=short&sort=title",
        "/script",
        f"/script?video={video}&scene=2",
    ):
        first = ("/api/script/", "/api/videos?") if "script" in address else ("/api/verdicts",)
        came: set[str] = set()
        for _ in range(20):  # a busy server sends the document before the answers are there
            asked.clear()
            open_page(page, server.url + address)
            page.wait_for_load_state("networkidle")
            came = set(page.evaluate(CAME))
            if any(path.startswith(first[0]) for path in came):
                break
        assert came & set(asked) == set(), address
        assert [path for path in came if path.startswith(first)], address
        assert "/api/me" not in asked, address
        assert [path for path in asked if path.startswith("/api/verdicts?")] == [], address
        assert [path for path in asked if path.startswith("/api/events?after=")], address


def test_the_open_question_stays_when_another_evaluation_is_put_beside(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".dl-item[aria-selected=true][aria-posinset='2']")
    opened = page.locator(".dl-item[aria-selected=true]").get_attribute("data-id")
    page.wait_for_function("(id) => location.search.includes(id)", arg=opened)
    page.keyboard.press("Shift+f")
    page.get_by_role("combobox", name="Second evaluation").select_option(index=1)
    page.wait_for_selector(".dl-columns")
    expect(page.locator(".dl-item[aria-selected=true]")).to_have_attribute("data-id", opened)
