"""``viska slack`` and ``viska spool``: what leaves for Slack, its command server, and writes that wait."""

import signal
import threading

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.store.home import Home
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise import connect
from viska_assets.supervise.outside.command_server import PATH, CommandServer
from viska_assets.supervise.outside.delivering import Delivered, deliver
from viska_assets.supervise.outside.feeding import feed
from viska_assets.supervise.outside.health import check_outside
from viska_assets.supervise.outside.listening import keep_looking
from viska_assets.supervise.outside.ntfy import send_word
from viska_assets.supervise.outside.slack_api import Slack
from viska_assets.supervise.spool.files import every_spool
from viska_assets.supervise.spool.replaying import replay


@click.group()
def slack() -> None:
    """Slack: serve its commands, deliver what waits, ask whether it is there."""


@slack.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8766, show_default=True)
@click.option("--no-feed", is_flag=True, help="Serve commands only; leave the delivery to the sensor approved_feed.")
def serve(host: str, port: int, no_feed: bool) -> None:
    """Serve slash commands under /slack/commands and deliver as soon as something is approved (see docs/governance.md).

    It runs as mastra alone: with VISKA_MASTRA_URL it needs nothing of the other writers.
    """
    home = Home()
    settings, policy = home.settings, home.policy.outside
    secret = settings.outside.slack_signing_secret.get_secret_value()
    if not secret:
        refuse("VISKA_SLACK_SIGNING_SECRET is empty: anybody could command", Exit.USAGE)
    if not no_feed and not settings.outside.is_slack_set:
        refuse("set VISKA_SLACK_TOKEN and VISKA_SLACK_CHANNEL, or serve with --no-feed", Exit.USAGE)
    connect("mastra", settings)
    server = CommandServer((host, port), secret, lambda: connect("mastra", settings), policy)
    stop = threading.Event()
    feeder = threading.Thread(
        target=keep_looking,
        args=(lambda: _address(home), lambda: _deliver(home)),
        kwargs={"poll_seconds": policy.poll_seconds, "stop": stop},
    )
    if not no_feed:
        feeder.start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console.print(f"Commands are taken at http://{host}:{server.server_port}{PATH} (stop with Ctrl-C).")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        console.print("Stopping.")
    finally:
        stop.set()
        server.server_close()
        if not no_feed:
            feeder.join()


@slack.command("deliver")
@as_json
def deliver_now(json_out: bool) -> None:
    """Make the messages that are due and post what waits; exit code 1 where Slack is out."""
    home = Home()
    if not home.settings.outside.is_slack_set:
        refuse("set VISKA_SLACK_TOKEN and VISKA_SLACK_CHANNEL", Exit.USAGE)
    done = _deliver(home)
    if json_out:
        print_json(vars(done))
    else:
        console.print(f"{done.posted} posted, {done.found} were there already, {done.refused} refused.")
        if done.away:
            console.print(f"[red]✗[/red] Slack is out: {done.away}")
    if done.away:
        raise SystemExit(int(Exit.REFUSED))


@slack.command()
@as_json
def health(json_out: bool) -> None:
    """Ask whether Slack is there, as plutus; an outage becomes an incident and exit code 1."""
    home = Home()
    outside = home.settings.outside
    slack_api = Slack(outside, home.policy.outside)
    said = check_outside(connect("plutus", home.settings), slack_api, lambda text: send_word(outside, text))
    if json_out:
        print_json({"answers": not said, "said": said})
    else:
        console.print(f"[red]✗[/red] Slack does not answer: {said}" if said else "[green]✓[/green] Slack answers.")
    if said:
        raise SystemExit(int(Exit.REFUSED))


def _deliver(home: Home) -> Delivered:
    settings, policy = home.settings, home.policy.outside
    mastra = connect("mastra", settings)
    feed(mastra, settings.outside.slack_channel, policy)
    return deliver(mastra, Slack(settings.outside, policy), policy)


def _address(home: Home) -> str:
    own = home.settings.writers.url_of(Writer.MASTRA)
    url = home.settings.database_url or ("" if own else EmbeddedServer(home.settings.home_path).ensure_running())
    return address_of(home.settings, url, Writer.MASTRA)


@click.group()
def spool() -> None:
    """Writes that wait because the database was away."""


@spool.command("list")
@as_json
def list_spool(json_out: bool) -> None:
    """List what waits and what was kept aside; exit code 1 where anything was kept aside."""
    root = Home().settings.spool_path
    rows = [
        {"writer": s.writer.value, "file": path.name, "state": "waits", "why": ""}
        for s in every_spool(root)
        for path in s.waiting()
    ] + [
        {"writer": s.writer.value, "file": path.name, "state": "aside", "why": why}
        for s in every_spool(root)
        for path, why in s.aside()
    ]
    if json_out:
        print_json(rows)
    else:
        print_table(("writer", "file", "state", "why"), [tuple(row.values()) for row in rows])
    if any(row["state"] == "aside" for row in rows):
        raise SystemExit(int(Exit.REFUSED))


@spool.command("replay")
@as_json
def replay_now(json_out: bool) -> None:
    """Write what waits, each as its own writer, through flags and grants; exit code 1 where anything is left."""
    home = Home()
    found = {}
    for one in every_spool(home.settings.spool_path):
        if one.folder.exists():
            found[one.writer.value] = vars(replay(connect(one.writer, home.settings), one))
    if json_out:
        print_json(found)
    else:
        print_table(
            ("writer", "written", "stood already", "kept aside", "waits", "why"),
            [
                (writer, r["written"], r["stood"], len(r["aside"]), r["waiting"], r["held"])
                for writer, r in found.items()
            ],
        )
    if any(r["waiting"] or r["aside"] for r in found.values()):
        raise SystemExit(int(Exit.REFUSED))
