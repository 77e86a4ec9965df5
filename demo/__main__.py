"""``python -m demo``: show what tamis does with the demo site, write the site, or serve it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Annotated

import typer

from demo.server import serving
from demo.show import demo
from demo.site import write_site
from tamis.cli import options
from tamis.errors import UsageError
from tamis.io.writing import check_outputs

app = typer.Typer(help="The demo site of tamis.", no_args_is_help=True)
app.command("show")(demo)


@app.command()
def write(folder: Annotated[Path, typer.Argument(help="Where to.")], *, overwrite: options.Overwrite = False) -> None:
    """Write the demo site to a folder, and gold for the benchmarks to FOLDER.gold. A folder that holds other files is refused."""
    if not (folder / "gold.json").exists():  # of an earlier call
        try:
            check_outputs(folder, overwrite=overwrite)
        except UsageError as error:
            typer.echo(f"demo: {error}", err=True)
            raise typer.Exit(2) from error
    from demo.gold_sets import write_gold

    pages = write_site(folder)
    write_gold(folder.with_name(f"{folder.name}.gold"), pages)
    typer.echo(f"{len(pages)} pages and gold.json written to {folder}")


@app.command()
def serve(port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)] = 8000) -> None:
    """Serve the demo site on 127.0.0.1 until interrupted."""
    with TemporaryDirectory(prefix="tamis-demo-") as folder:
        pages = write_site(Path(folder))
        try:
            with serving(Path(folder), port) as url:
                typer.echo(f"{len(pages)} pages on {url} (Ctrl+C to stop)")
                Event().wait()
        except KeyboardInterrupt:
            typer.echo("stopped")
        except OSError as error:
            typer.echo(f"demo: port {port} cannot be used ({error.strerror}); choose another with --port", err=True)
            raise typer.Exit(2) from error


if __name__ == "__main__":
    app()
