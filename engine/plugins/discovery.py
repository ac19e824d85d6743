"""Plug-ins: other people's agents and engines, from entry points or a folder, each in a process of its own.

A plug-in never runs in the process of the matches. Each is loaded in its worker process and asked for a few
moves; `engine.plugins.running` has the limits that hold there.

This protects against mistakes, not against malice: a plug-in has the rights of the user who runs the program.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import entry_points as installed_entry_points
from pathlib import Path
from typing import TypedDict, Unpack

from engine.agents.levels import ENGINE, PLUGIN
from engine.plugins.engines import LOAD_SECONDS as ENGINE_LOAD_SECONDS
from engine.plugins.engines import engines_in, worker_of
from engine.plugins.folder import MAX_NAME_LENGTH, Remark, sources_in
from engine.plugins.limits import HARD_SECONDS, LOAD_SECONDS, MEMORY_BYTES
from engine.plugins.process import WorkerProcess
from engine.plugins.protocols.engine import Engine
from engine.plugins.running import LOGGED_CHARACTERS, Forfeit, Plugin, PluginAgent, Worker
from engine.plugins.trial import TRIAL_SECONDS, trial
from engine.plugins.wire import Reply, Source

__all__ = ["GROUP", "Plugin", "PluginAgent", "Survey", "discover", "survey"]

GROUP = "discade.agents"

_NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_NAME_LENGTH - 1}}}", re.ASCII)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Survey:
    """The working plug-ins, by name, and what there is to say of everything else."""

    plugins: tuple[Plugin, ...]
    remarks: tuple[Remark, ...]


class Limits(TypedDict, total=False):
    """The limits that `survey` takes."""

    hard_seconds: float
    load_seconds: float
    engine_load_seconds: float
    trial_seconds: float
    memory_bytes: int


def discover(folder: Path | None, entry_points: bool = True, **limits: Unpack[Limits]) -> tuple[Plugin, ...]:
    """Return the working plug-ins of `survey`, and log its remarks. The caller closes the plug-ins."""
    found = survey(folder, entry_points, **limits)
    for remark in found.remarks:
        log.log(remark.severity, "%s %s %s", remark.title, remark.about, remark.text)
        if remark.trace:
            log.debug("plug-in %s failed:\n%s", remark.about, remark.trace)
    return found.plugins


def survey(
    folder: Path | None,
    entry_points: bool = True,
    *,
    hard_seconds: float = HARD_SECONDS,
    load_seconds: float = LOAD_SECONDS,
    engine_load_seconds: float = ENGINE_LOAD_SECONDS,
    trial_seconds: float = TRIAL_SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> Survey:
    """Return the working plug-ins, by name: installed ones, the folder's files, then its engines.

    Each is loaded and tried in its own worker process, never in this one, so this takes as long as starting
    several Pythons; without plug-ins it is immediate. Plug-ins that do not load, name no game, fail wherever
    they are tried, or have a name that is taken are left out. trial_seconds: see `trial`; 0 for none.
    """
    sources: list[Source] = list(_installed()) if entry_points else []
    remarks: list[Remark] = []
    engines: dict[str, Engine] = {}
    if folder is not None and not folder.is_dir():
        remarks.append(Remark(logging.ERROR, f"folder {folder}", "does not exist"))
    elif folder is not None:
        offered, said = engines_in(folder)
        engines = {source.name: engine for source, engine in offered}
        files = {engine.folder / word for engine in engines.values() for word in engine.command}
        try:
            dropped, remarks = sources_in(folder, files)
        except OSError as error:  # the bot starts without them
            remarks.append(Remark(logging.ERROR, f"folder {folder}", f"cannot be read: {error.strerror}"))
        else:
            sources += [*dropped, *(source for source, _ in offered)]
            remarks += said
    distinct = list(_distinct(sources, remarks))

    def loaded(source: Source) -> tuple[Plugin | None, list[Remark]]:
        seconds = hard_seconds
        if source.kind == ENGINE:
            engine = engines[source.name]
            worker, seconds = worker_of(source, engine, engine_load_seconds), engine.seconds
        else:
            worker = Worker(source, load_seconds, lambda: WorkerProcess(memory_bytes))
        plugin, said = _loaded(source, worker, seconds)
        if plugin is not None and trial_seconds > 0:
            plugin, verdict = _tried(plugin, source, trial_seconds)
            said += verdict
        worker.rest() if plugin else worker.close()
        return plugin, said

    plugins = []
    with ThreadPoolExecutor(max_workers=4, thread_name_prefix="plug-ins") as threads:
        for plugin, said in threads.map(loaded, distinct):
            remarks += said
            if plugin is not None:
                plugins.append(plugin)
    return Survey(tuple(plugins), tuple(remarks))


def _loaded(source: Source, worker: Worker, hard_seconds: float) -> tuple[Plugin | None, list[Remark]]:
    try:
        reply = worker.load()
    except Forfeit as reason:
        reply = Reply(fault=f"could not be loaded: {reason}")
    said: list[Remark] = []
    if reply.printed:
        text = f"says while it is loaded: {' '.join(reply.printed.split())[:LOGGED_CHARACTERS]}"
        said.append(Remark(logging.INFO, str(source), text))
    if reply.description is None:
        said.append(_left_out(source, f"it {reply.fault}", reply.trace))
        return None, said
    return Plugin(source, reply.description, worker, hard_seconds), said


def _tried(plugin: Plugin, source: Source, seconds: float) -> tuple[Plugin | None, list[Remark]]:
    verdict = trial(plugin, seconds)
    if not verdict.games:
        return None, [_left_out(source, f"in a trial {verdict.reason}")]
    # To play on one board only is no fault; to name a game and not to play it is.
    is_usual = source.kind == PLUGIN and len(plugin.level.games) == 1
    severity = logging.INFO if is_usual else logging.WARNING
    remarks = [Remark(severity, str(source), verdict.remark, title=source.title)] if verdict.remark else []
    plugin.level = replace(plugin.level, games=verdict.games, boards=verdict.boards)
    return plugin, remarks


def _left_out(source: Source, reason: str, trace: str = "") -> Remark:
    """A file that others import may be a helper module: then nothing is wrong with it."""
    if source.is_imported:
        return Remark(logging.INFO, str(source), "is used by other files, and no agent itself")
    return Remark(logging.ERROR, str(source), f"is left out: {reason}", trace, source.title)


def _installed() -> Iterator[Source]:
    for entry in sorted(installed_entry_points(group=GROUP)):
        yield Source(entry.name, entry_point=entry.value)


def _distinct(sources: Iterable[Source], remarks: list[Remark]) -> Iterator[Source]:
    """Leave out, with a remark, sources whose name is invalid or taken."""
    taken: dict[tuple[str, str], Source] = {}
    for source in sources:
        if not _NAME.fullmatch(source.name):
            remarks.append(_left_out(source, f"its name must match {_NAME.pattern}"))
        elif (source.kind, source.name) in taken:
            same = taken[source.kind, source.name]
            remarks.append(_left_out(source, f"{same} has the same name"))
        else:
            taken[source.kind, source.name] = source
            yield source
