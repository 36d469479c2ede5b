"""``earmark``: the command line. Each command is a few lines; what it does is in bot/cli and bot/wiring.

A command imports its module when it is called: the whole product takes seconds to import, a help text should not.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import ValidationError

from pipeline.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Forward anything, hear what it proves.")
runs = typer.Typer(no_args_is_help=True, help="The ledger: what ran, how it went.")
app.add_typer(runs, name="runs")
blobs = typer.Typer(no_args_is_help=True, help="The stored bytes.")
app.add_typer(blobs, name="blobs")

DataDir = Annotated[Path | None, typer.Option("--data", help="Folder of the database, the bytes and the model cache.")]


def settings_of(data: Path | None = None, **changes: object) -> Settings:
    """Settings from the environment and ``.env``, with what the command line says on top."""
    given = {key: value for key, value in {"data_dir": data, **changes}.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]  # pydantic checks the values
    except ValueError as error:
        found = error.errors() if isinstance(error, ValidationError) else []
        for problem in found:
            name = ".".join(str(part) for part in problem["loc"]).upper()
            typer.echo(f"{name + ': ' if name else ''}{problem['msg'].removeprefix('Value error, ')}", err=True)
        raise typer.Exit(2) from None


@app.command()
def up(
    data: DataDir = None,
    port: Annotated[int | None, typer.Option(help="Port of the chat page; 0 takes any free one.")] = None,
) -> None:
    """Start everything and print the one-time address of the chat page."""
    from bot.cli import up as command

    raise typer.Exit(command.up(settings_of(data, web_port=port)))


@app.command()
def make(
    source: Annotated[str, typer.Argument(metavar="FILE", help="HTML, PDF, Markdown or TXT.")],
    ask: Annotated[str, typer.Option("--ask", help="What you want to find out; without it: the main points.")] = "",
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("earmark-out"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and no progress.")] = False,
    language: Annotated[Literal["zh", "en"] | None, typer.Option("--lang", help="Language of messages.")] = None,
    data: DataDir = None,
) -> None:
    """One source, one episode, in the foreground. Exit codes: 0 made, 2 refused input, 3 not covered, 4 failed."""
    from bot.cli import make as command

    raise typer.Exit(command.make(settings_of(data), source, ask=ask, out=out, as_json=as_json, language=language))


@app.command()
def doctor(data: DataDir = None, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """What is installed, the tier of each ability, and how to raise it."""
    from bot.cli import doctor as command

    raise typer.Exit(command.doctor(settings_of(data), as_json=as_json))


@app.command()
def migrate(data: DataDir = None) -> None:
    """Bring the database to this version."""
    from bot.cli import up as command

    raise typer.Exit(command.migrate_only(settings_of(data)))


@app.command()
def signin(data: DataDir = None) -> None:
    """Print another one-time address for a running ``earmark up``."""
    from bot.cli import up as command

    raise typer.Exit(command.signin(settings_of(data)))


@runs.command("list")
def runs_list(data: DataDir = None, limit: Annotated[int, typer.Option(min=1, max=1000)] = 20) -> None:
    """The newest runs, a line each."""
    from bot.cli import runs as command

    raise typer.Exit(command.listing(settings_of(data), limit=limit))


@runs.command("show")
def runs_show(run: int, data: DataDir = None, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """One run: its configuration, its time line, its calls."""
    from bot.cli import runs as command

    raise typer.Exit(command.show(settings_of(data), run, as_json=as_json))


@runs.command("retry")
def runs_retry(run: int, data: DataDir = None) -> None:
    """Put a run that failed or waits for a decision back into the queue."""
    from bot.cli import runs as command

    raise typer.Exit(command.retry(settings_of(data), run))


@runs.command("cancel")
def runs_cancel(run: int, data: DataDir = None) -> None:
    """Stop a run that has not ended."""
    from bot.cli import runs as command

    raise typer.Exit(command.cancel(settings_of(data), run))


@blobs.command("collect")
def blobs_collect(
    data: DataDir = None,
    apply: Annotated[bool, typer.Option("--apply", help="Remove them; without it they are only listed.")] = False,
) -> None:
    """Bytes that nothing names any more: list them, or remove them."""
    from bot.cli import blobs as command

    raise typer.Exit(command.collect(settings_of(data), apply=apply))


def _module(name: str, arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", name, *arguments], check=False).returncode


@app.command("eval", context_settings={"ignore_unknown_options": True, "help_option_names": []})
def eval_(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Run an evaluation (``python -m eval``)."""
    raise typer.Exit(_module("eval", arguments or []))


def main() -> None:
    app()


if __name__ == "__main__":
    main()
