"""What many formats have in common."""

NO_HISTORY = "who corrected what (only the values), runs, prompts, scores"
"""What a file of plain values cannot hold."""
