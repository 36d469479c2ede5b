"""``python -m eval NAME …``: one evaluation or scorer by name; without a name, the list."""

from __future__ import annotations

import runpy
import sys

NAMES = {
    "chaos": ("eval.tasks.chaos", "many runs while workers and the server are killed; then the rows are read"),
    "burst": (
        "eval.tasks.burst",
        "many people on Telegram at once while the bot is killed; then rows and log are read",
    ),
    "answers": ("eval.tasks.answers", "does the excerpt writer answer, and can it decline?"),
    "episodes": ("eval.tasks.episodes", "real speech end to end, measured and transcribed back"),
    "pages": ("eval.tasks.pages", "web pages read and compared with gold texts and with bare trafilatura"),
    "spans": ("eval.tasks.spans", "random spans of real pages and PDFs: does the raw slice say the same?"),
    "claims": ("eval.scorers.claims", "every claim of a database against its source, by SQL alone"),
    "speech": ("eval.scorers.speech", "an audio file transcribed back and aligned with what it should say"),
    "pdf": ("eval.scorers.pdf", "a folder of PDF files through the parser's child: outcome, pages, text, time"),
    "pictures": ("eval.scorers.pictures", "own pictures of text through OCR and reading order: CER by kind"),
    "subtitles": ("eval.tasks.subtitles", "subtitle files of a folder against its manifest"),
    "audio": ("eval.scorers.audio", "decoded length, loudness and size of an audio file"),
}


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in NAMES:
        for known, (_, says) in NAMES.items():
            print(f"python -m eval {known:9} {says}")
        return 0 if not name or name in ("-h", "--help") else 2
    sys.argv = [f"eval {name}", *sys.argv[2:]]
    runpy.run_module(NAMES[name][0], run_name="__main__", alter_sys=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
