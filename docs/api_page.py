"""The text of docs/api.md, from the endpoints. Tests run its examples."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, get_type_hints

from gradio.utils import get_function_description

from ui.api.endpoints.registry import READING, WRITING
from ui.api.gradio_api import Endpoint, kind_words

HEAD = """# For programs: the API

Written by `make docs` from the endpoints; do not edit. The server is a Gradio app: `gradio_client` (Python)
and `@gradio/client` (JavaScript) call it at the address of the pages, and `client.view_api()` prints what
stands here. Endpoints answer with the functions that answer the pages, so the same people may do the same
things: a person who labels blind sees no verdict here either before giving their own.

- An evaluation is named by its name or id; without one, it is the one that the pages open.
- A wrong argument, or a call that the person may not make, is an error of one line, and nothing is changed.
- A value that can be corrected comes with `subject` and `revision`; both go back with /correct. If somebody
  else changed it first, the call fails: read the value again.
- A run belongs to the server's queue: it goes on when its stream is left, until it is over or /stop ends it.
- Files that are sent, and files that are written for you, can be read by you alone, and go after a day
  (`incoming_hours` in settings.toml).
- What changes something or takes data out is a line of the audit log, and so is every call with a token.

Everything can also be read from the command line with `--json` ([command_line.md](command_line.md)), and
from a workspace on the same machine as [DataFrames](dataframes.md).

## Tokens

Where people log in, a program sends a token of one of them. They make it in the page (their name at the top
right, "Tokens for programs"), or the operator of the server does:

```
python app.py account token NAME notebook --scope write --days 30
```

It is printed once, and goes as a header: in Python, in JavaScript, in a shell

```
client = Client("https://dailies.example.org", headers={"Authorization": "Bearer dailies_..."})
Client.connect("https://dailies.example.org", { headers: { Authorization: "Bearer dailies_..." } })
curl -H "Authorization: Bearer dailies_..." https://dailies.example.org/api/videos
```

- `read` lets through what reads, and exports; `write` all that its person may do, in the role that they
  have at that time. No token makes tokens, logs anyone in or changes accounts.
- It ends at its date (90 days unless said, at most 366), when it is revoked, and while its person's account
  is disabled. A refusal says which (401), or that this needs another scope or role (403).
- A request with a token is decided by it alone: a cookie beside it does not count. Files that an answer
  names are fetched with the same header.
- Each use is a line of the audit log, and the list of tokens says when each was used last.

Where nobody logs in no token is needed; one that is sent still counts, and one that was made there ends with
the first accounts. A call belongs to the person who made it: nobody else receives its answer or stream, or
can end it.

## For agents: MCP

```
pip install -r requirements-mcp.txt
python app.py serve --mcp
```

Agents then read the workspace at `/mcp` by the Model Context Protocol (streamable HTTP): clients of it take
that address, and where people log in a token, of which the scope `read` is enough:

```
{"mcpServers": {"dailies": {"type": "http", "url": "https://dailies.example.org/mcp",
                            "headers": {"Authorization": "Bearer dailies_..."}}}}
```

- Tools are the endpoints that read, below, but /progress, which streams: `runs` tells how far a run is. A
  picture in an answer is a number, and the pictures follow as images in that order.
- Resources: `dailies://evaluations/ID`, the scores of an evaluation, and `dailies://questions/VERDICT`, a
  question in full with the frames that matter as JPEGs.
- The prompt `why_low` asks why a video (its id or title) scores low: it lists the questions that
  failed, and what to look at.
- People see here what they see on the pages: a person who labels blind sees no verdict before giving their
  own. Nothing is changed; each call with a token is a line of the audit log.

The package `mcp` is of version 1 and goes with every version of pydantic that Dailies takes;
`gradio[mcp]`, which asks for an older one, is not needed.

## In Python

Add a clip, and run it with its progress printed:

```python
from gradio_client import Client, handle_file

client = Client("http://127.0.0.1:7860", httpx_kwargs={"timeout": 60})  # the first call imports Gradio
video = client.predict(handle_file("clip.mp4"), api_name="/add_video")
for told in client.submit([video["id"]], ["scenes", "captions"], api_name="/run"):
    print(told["state"], told["stage"], told["done"], "of", told["total"])
```

List the questions that failed, and look at one:

```python
import pandas as pd

found = client.predict(evaluation="hand-written", state=["no"], limit=500, api_name="/verdicts")
failed = pd.DataFrame(found["rows"])
print(failed[["video_title", "question", "score"]])

verdict = failed["verdict_id"][0]
about = client.predict(verdict, api_name="/question")
print(about["question"]["value"], about["reference"]["value"], about["answer"]["value"], about["raw"])
for frame in client.predict(verdict, api_name="/evidence")["frames"]:
    print(frame["frame"], frame["reasons"], frame["picture"])  # the path of a JPEG on your disk
```

Correct its verdict, set its error source, and export everything:

```python
seen = about["verdict"]
value = {"label": "yes", "score": 4}
client.predict(seen["subject"], value, seen["revision"], "the caption says it", api_name="/correct")
client.predict(verdict, "judge", api_name="/set_error_source")
print(client.predict("verdicts-csv", evaluation="hand-written", api_name="/export"))  # a path, too
```

## In JavaScript

`npm install @gradio/client`, in Node or in a bundle of your own; `data` are the answers, one of each call.

```js
import { openAsBlob } from 'node:fs';
import { Client, handle_file } from '@gradio/client';

const client = await Client.connect('http://127.0.0.1:7860');
const clip = new File([await openAsBlob('clip.mp4')], 'clip.mp4');
const added = await client.predict('/add_video', { file: handle_file(clip) });
const [video] = added.data;
for await (const event of client.submit('/run', { videos: [video.id], stages: ['scenes'] })) {
  if (event.type === 'data') console.log(event.data[0].state, event.data[0].stage);
}
```

```js
const found = await client.predict('/verdicts', { evaluation: 'hand-written', state: ['no'] });
const [row] = found.data[0].rows;
const [about] = (await client.predict('/question', { verdict: row.verdict_id })).data;
await client.predict('/correct', {
  subject: about.verdict.subject,
  value: { label: 'yes', score: 4 },
  revision: about.verdict.revision,
  reason: 'the caption says it',
});
const [shown] = (await client.predict('/evidence', { verdict: row.verdict_id })).data;
console.log(row.question, shown.frames[0].picture.url);
const [file] = (await client.predict('/export', { format: 'verdicts-csv', evaluation: 'hand-written' })).data;
console.log((await (await fetch(file.url)).text()).split('\\n')[0]);
```
"""


def api_page() -> str:
    """How to call, examples, then every endpoint with its arguments."""
    reading = ["## Endpoints that read", "", *_all(READING)]
    writing = ["## Endpoints that change something, or take data out", "", *_all(WRITING)]
    return "\n".join([HEAD, *reading, *writing])


def _all(endpoints: Iterable[Endpoint]) -> list[str]:
    return [line for endpoint in endpoints for line in _section(endpoint)]


def _section(endpoint: Endpoint) -> list[str]:
    what, words, answers = get_function_description(endpoint)
    lines = [f"### `/{endpoint.__name__}`", "", what, ""]
    hints = get_type_hints(endpoint, include_extras=True)
    parameters = list(inspect.signature(endpoint).parameters.values())[1:]
    if parameters:
        lines += ["| argument | kind | without it | |", "|---|---|---|---|"]
        kinds = {p.name: kind_words(hints[p.name]) for p in parameters}
        lines += [f"| `{p.name}` | {kinds[p.name]} | {_default(p)} | {words[p.name]} |" for p in parameters]
        lines.append("")
    return [*lines, f"Answer: {' '.join(answers)}", ""]


def _default(parameter: inspect.Parameter) -> str:
    value: Any = parameter.default
    if value is inspect.Parameter.empty:
        return "needed"
    if value is None or value == "":
        return "none" if value is None else "empty"
    return f"`{str(value).lower()}`"
