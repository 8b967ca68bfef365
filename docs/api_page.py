"""Generates docs/api.md from the endpoints. Tests run its examples."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, get_type_hints

from gradio.utils import get_function_description

from ui.api.endpoints.registry import READING, WRITING
from ui.api.gradio_api import Endpoint, kind_words

HEAD = """# For programs: the API

`make docs` generates this page from the endpoints; do not edit it. The server is a Gradio app.
`gradio_client` (Python) and `@gradio/client` (JavaScript) call it at the address of the pages, and
`client.view_api()` prints the reference below. Endpoints use the same functions as the pages, so each
person has the same permissions: a person who labels blind sees no verdict here before giving their own.

- An evaluation is given by its name or id; by default, it is the one that the pages open.
- A wrong argument, or a call without permission, returns an error of one line and changes nothing.
- A value that can be corrected has a `subject` and a `revision`; send both to /correct. If another person
  has changed the value since, the call fails: read the value again.
- A run belongs to the server's queue. It continues when its stream is closed, until it ends or /stop ends
  it.
- Only you can read the files that you send and the files that are written for you. They are deleted after a
  day (`incoming_hours` in settings.toml).
- The audit log records each call that changes or exports data, and each call with a token.

The command line prints the same data with `--json` ([command_line.md](command_line.md)). On the machine of
the workspace, it is also available as [DataFrames](dataframes.md).

## Tokens

If people log in, a program sends a personal token. A person creates it on the page (their name at the top
right, "Tokens for programs"), or the operator of the server does:

```
python app.py account token NAME notebook --scope write --days 30
```

The command prints it once. Send it as a header, for example in Python, JavaScript or a shell:

```
client = Client("https://dailies.example.org", headers={"Authorization": "Bearer dailies_..."})
Client.connect("https://dailies.example.org", { headers: { Authorization: "Bearer dailies_..." } })
curl -H "Authorization: Bearer dailies_..." https://dailies.example.org/api/videos
```

- The scope `read` allows reading and exports. `write` allows everything that the person may do in their
  current role. Tokens cannot create tokens, log people in or change accounts.
- A token expires at its date (by default after 90 days, at most 366). It is invalid after it is revoked,
  and while the person's account is disabled. The error gives the reason (401), or names the missing scope
  or role (403).
- If a request has a token, only the token is used: a cookie in the same request is ignored. Files that a
  response names are fetched with the same header.
- Each use is recorded in the audit log, and the list of tokens shows the last use of each.

Without logins, no token is needed. A token that is sent is still checked, and tokens made without logins
expire when the first account is created. A call belongs to the person who made it: other people cannot
receive its response or stream, or end it.

## For agents: MCP

```
pip install -r requirements-mcp.txt
python app.py serve --mcp
```

Agents can then read the workspace at `/mcp` with the Model Context Protocol (streamable HTTP). Clients need
this address and, if people log in, a token with the scope `read`:

```
{"mcpServers": {"dailies": {"type": "http", "url": "https://dailies.example.org/mcp",
                            "headers": {"Authorization": "Bearer dailies_..."}}}}
```

- Tools are the endpoints that read, below, except /progress, which streams; `runs` returns the progress of
  a run. A picture in a response is a number, and the pictures follow as images in that order.
- Resources: `dailies://evaluations/ID`, the scores of an evaluation, and `dailies://questions/VERDICT`, all
  details of a question with the relevant frames as JPEGs.
- The prompt `why_low` asks why a video (its id or title) has a low score: it lists the failed questions and
  what to look at.
- Permissions are the same as on the pages: a person who labels blind sees no verdict before giving their
  own. Tools change nothing. The audit log records each call with a token.

Dailies uses version 1 of the package `mcp`, which works with every version of pydantic that Dailies
supports. `gradio[mcp]`, which requires an older version of pydantic, is not needed.

## In Python

Add a clip, run it and print the progress:

```python
from gradio_client import Client, handle_file

client = Client("http://127.0.0.1:7860", httpx_kwargs={"timeout": 60})  # the first call imports Gradio
video = client.predict(handle_file("clip.mp4"), api_name="/add_video")
for progress in client.submit([video["id"]], ["scenes", "captions"], api_name="/run"):
    print(progress["state"], progress["stage"], progress["done"], "of", progress["total"])
```

List the failed questions, and look at one:

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
print(client.predict("verdicts-csv", evaluation="hand-written", api_name="/export"))  # also a path
```

## In JavaScript

Run `npm install @gradio/client`, for Node or for your own bundle. `data` is a list with one response per
call.

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
    """Return the text of api.md: how to call endpoints, examples, then every endpoint with its arguments."""
    reading = ["## Endpoints that read", "", *_all(READING)]
    writing = ["## Endpoints that change or export data", "", *_all(WRITING)]
    return "\n".join([HEAD, *reading, *writing])


def _all(endpoints: Iterable[Endpoint]) -> list[str]:
    return [line for endpoint in endpoints for line in _section(endpoint)]


def _section(endpoint: Endpoint) -> list[str]:
    what, words, answers = get_function_description(endpoint)
    lines = [f"### `/{endpoint.__name__}`", "", what, ""]
    hints = get_type_hints(endpoint, include_extras=True)
    parameters = list(inspect.signature(endpoint).parameters.values())[1:]
    if parameters:
        lines += ["| argument | type | default | description |", "|---|---|---|---|"]
        kinds = {p.name: kind_words(hints[p.name]) for p in parameters}
        lines += [f"| `{p.name}` | {kinds[p.name]} | {_default(p)} | {words[p.name]} |" for p in parameters]
        lines.append("")
    return [*lines, f"Returns: {' '.join(answers)}", ""]


def _default(parameter: inspect.Parameter) -> str:
    value: Any = parameter.default
    if value is inspect.Parameter.empty:
        return "required"
    if value is None or value == "":
        return "none" if value is None else "empty"
    return f"`{str(value).lower()}`"
