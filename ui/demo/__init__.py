"""The Demo page: a clip through the pipeline, in stock components of Gradio, with nothing kept."""
