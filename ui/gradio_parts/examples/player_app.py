"""A film and a table of its moments: a row shows its frame. `python player_app.py FILM`."""

import sys

import gradio as gr
from dailies_gradio import Film, FramePlayer, Range


def frame_of(row: gr.SelectData) -> int:
    return int(row.row_value[0])


MOMENTS = [[0, "first frame"], [40, "forty"], [90, "ninety"]]
with gr.Blocks() as demo:
    film = Film(sys.argv[1], ranges=[Range(40, 60, "a stretch", "event")])
    player = FramePlayer(film, label="Film")
    table = gr.Dataframe(MOMENTS, headers=["frame", "what"], interactive=False)
    shown = gr.Textbox(label="Shown")
    table.select(frame_of, outputs=player, trigger_mode="always_last")
    player.frame(str, player, shown, show_progress="hidden")

if __name__ == "__main__":
    demo.launch()
