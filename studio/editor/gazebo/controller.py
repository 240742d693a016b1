"""Puts the Gazebo panels into the window, and brings what they want to the model of connections."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QTimer
from PyQt6.sip import isdeleted

from studio.editor.docking.layouts import GAZEBO, NARROW
from studio.editor.gazebo.surroundings import Surroundings
from studio.editor.look.icons import icon
from studio.errors import StudioError
from studio.model.gazebo_provider import SERVER

if TYPE_CHECKING:
    from studio.editor.docking.docks import Docks
    from studio.editor.docking.layouts import Layouts
    from studio.editor.gazebo.page import GazeboPage
    from studio.editor.gazebo.preview import Preview
    from studio.editor.gazebo.servers import ServersPanel
    from studio.editor.look.theme import Theme
    from studio.runtime.gazebo.agreement import Mismatch
    from studio.runtime.gazebo.connections.address import Address
    from studio.runtime.gazebo.connections.connections import Connections
    from studio.runtime.gazebo.connections.link import Link
    from studio.runtime.gazebo.connections.local import Installed, LocalServer, Prepared
    from studio.runtime.gazebo.connections.mapping import Port
    from studio.runtime.gazebo.server import GazeboServer, Topic

SERVERS, PAGE, PREVIEW = "gazebo_servers", "gazebo", "gazebo_preview"
DOCKS = ((SERVERS, "Servers", "mdi6.server"), (PAGE, "Gazebo", "mdi6.server-network"),
         (PREVIEW, "Preview", "fa6s.eye"))  # fmt: skip
OTHERS = ("palette", "inspector", "problems", "console", "processes")
"""Panels of systems, which give way."""
REFRESH_MS = 250
FIRST_PORT = 11345


class GazeboController(QObject):
    def __init__(self, surroundings: Surroundings, docks: Docks, layouts: Layouts, parent: QObject) -> None:
        super().__init__(parent)
        self.around, self._docks, self._layouts = surroundings, docks, layouts
        self.connections: Connections | None = None
        """Made when the panels are opened for the first time, and kept as long as the window."""
        self.servers: ServersPanel
        self.page: GazeboPage
        self.preview: Preview
        self.local: LocalServer | None = None
        self._front: Address | None = None
        self._choices: dict[str, str] = {}
        self._choices_of: Path | None = None
        self._spawned: dict[Address, set[str]] = {}
        self._install: tuple[str, float] | None = None
        self._matched: list[Topic] = []
        """Topics of the server in front that have a port: they keep it while the server, or a model, is away."""
        self._came: SimpleQueue[Callable[[], object]] = SimpleQueue()
        """What other threads have to say, for the window's."""
        self._has_paused: Address | None = None
        """The server that was paused because the system of the project was."""
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self.refresh)

    # ---- panels

    @property
    def is_open(self) -> bool:
        return self._docks.has(PAGE)

    def open(self) -> None:
        """The layout with all of it."""
        if not self._layouts.choose(GAZEBO):
            self.lay_out()

    def lay_out(self) -> None:
        """As the picture has it: servers left, one of them in the middle, the preview right."""
        self._make()
        docks = self._docks
        docks.move(SERVERS, "tab", beside="palette")
        docks.move(PREVIEW, "tab", beside="inspector")
        docks.move(PAGE, "tab", beside="system")
        for name in OTHERS:
            docks.hide(name)
        for name, _, _ in DOCKS:
            docks.show(name)
        docks.set_columns(*((232, 250) if docks.manager.width() < NARROW else (290, 330)))

    def _make(self) -> None:
        from studio.editor.gazebo.page import GazeboPage
        from studio.editor.gazebo.preview import Preview
        from studio.editor.gazebo.servers import ServersPanel
        from studio.runtime.gazebo.connections.address import ProfileBook
        from studio.runtime.gazebo.connections.connections import Connections

        if self.connections is None:
            self.connections = Connections(ProfileBook())
            self._timer.start()
        if self.is_open:
            return
        theme = self.around.theme()
        self.servers, self.page, self.preview = ServersPanel(theme), GazeboPage(theme), Preview(theme)
        for (name, title, picture), widget, beside in zip(
            DOCKS, (self.servers, self.page, self.preview), ("palette", "system", "inspector"), strict=True
        ):
            self._docks.add_viewer(name, title, widget, "tab", beside=beside, close=self._closer(name))
            self._docks.set_icon(name, icon(picture, theme.muted))
        self._connect_parts()
        self._look_for_programs()
        QTimer.singleShot(0, self.refresh)

    def _closer(self, name: str) -> Callable[[], object]:
        return lambda: self._docks.hide(name)

    def _connect_parts(self) -> None:
        servers, page = self.servers, self.page
        servers.chosen.connect(self._choose)
        servers.connect_wanted.connect(self._connect)
        servers.disconnect_wanted.connect(self._disconnect)
        servers.add_wanted.connect(self._add)
        servers.keep_wanted.connect(self._keep)
        servers.forget_wanted.connect(self._forget)
        servers.refresh_wanted.connect(self._look_again)
        servers.start_wanted.connect(self._start)
        servers.stop_wanted.connect(self._stop)
        servers.install_wanted.connect(self._install_server)
        servers.log_wanted.connect(lambda: page.logs.setCurrentWidget(page.server_log))
        servers.doctor_wanted.connect(self._ask_doctor)
        page.controls.pause_wanted.connect(
            lambda on: self._ask("world", "paused" if on else "resumed", lambda server: server.pause(on))
        )
        page.controls.step_wanted.connect(
            lambda count: self._ask(
                "world", f"{count} step{'s' if count != 1 else ''} made", lambda server: server.step(count)
            )
        )
        page.controls.reset_wanted.connect(
            lambda scope: self._ask("world", f"reset: {scope}", lambda server: server.reset(scope))
        )
        page.controls.speed_wanted.connect(
            lambda factor: self._ask("world", f"speed {factor:g}", lambda server: server.set_speed(factor))
        )
        page.match_again_wanted.connect(self._match_again)
        page.topics.port_wanted.connect(self._choose_port)
        page.topics.chosen.connect(lambda _: self.refresh())
        page.topics.ports = self._ports
        page.models.chosen.connect(lambda _: self.refresh())
        page.models.move_wanted.connect(self._move)
        page.models.home_wanted.connect(self._bring_home)
        page.models.delete_wanted.connect(lambda name: self._ask(name, "deleted", lambda server: server.delete(name)))
        page.models.spawn_wanted.connect(self._spawn)
        self.preview.agreement.fix_wanted.connect(self._replace)

    def show_theme(self, theme: Theme) -> None:
        if self.is_open:
            for part in (self.servers, self.page, self.preview):
                part.show_theme(theme)
            for name, _, picture in DOCKS:
                self._docks.set_icon(name, icon(picture, theme.muted))

    def close(self) -> None:
        """With the window: a server that was started here ends."""
        self._timer.stop()
        if self.local is not None:
            self.local.begin_stop()
        if self.connections is not None:
            connections, self.connections = self.connections, None
            threading.Thread(target=connections.close, name="gazebo-close", daemon=True).start()
        if self.local is not None:
            self.local.stop()

    # ---- what is shown

    @property
    def link(self) -> Link | None:
        """The connection in front."""
        return self.connections.links.get(self._front) if self.connections is not None and self._front else None

    def server_for_runs(self) -> str:
        """The server in front, as a component is told it; empty where a run starts a server of its own."""
        from studio.runtime.gazebo.connections.address import Family

        link = self.link
        is_fit = link is not None and link.is_connected and link.address.family is Family.CLASSIC
        return str(link.address) if link is not None and is_fit else ""

    @property
    def is_stepped(self) -> bool:
        """The running system makes the steps of the server in front."""
        link = self.link
        return link is not None and self.around.runs() and str(link.address) in self._servers_of_sources()

    def _servers_of_sources(self) -> set[str]:
        return {
            component.parameters.get(SERVER, "")
            for source in self.around.sources()
            if source.mode == "simulated" and source.simulated is not None
            for component in source.simulated.components
        }

    def refresh(self) -> None:
        """Four times a second while any of it can be seen; nothing here waits."""
        self._hear()
        if self.connections is None or isdeleted(self.page):
            return
        self._tell_local()
        if not any(part.isVisible() for part in (self.servers, self.page, self.preview)):
            return
        rows = self.connections.rows()
        self.servers.show_rows(rows)
        what, part = self._install or ("", 0.0)
        self.servers.show_install(what, part)
        link = self.link
        row = next((each for each in rows if each.address == self._front), None)
        name = row.name if row is not None and link is not None else ""
        title = f"Gazebo: {name}" if name else "Gazebo"
        if self._docks.title(PAGE) != title:
            self._docks.set_title(PAGE, title)
        self.page.show_row(row, has_link=link is not None)
        self.page.show_lines(self.connections.lines())
        self.page.controls.show_link(link, is_stepped=self.is_stepped)
        self._show_topics(link)
        self._show_models(link)
        if self.local is not None:
            self.page.show_log(self.local.tail())
        elif not self.page.server_log.toPlainText():
            self.page.server_log.setPlainText("The log of a server that is started here is shown here.")
        self.preview.show_topic(link, self.page.topics.current_topic() if link is not None else "")

    def _show_topics(self, link: Link | None) -> None:
        from studio.editor.gazebo.topics_table import rows_of
        from studio.runtime.base.clock import monotonic_ns
        from studio.runtime.gazebo.connections.mapping import match

        if link is None:
            return
        self._load_choices()
        topics = link.topics()
        known = {each.name: each for each in [*self._matched, *topics]}
        matches = match(self._ports(), known.values(), self._choices)
        self._matched = [known[each.topic] for each in matches if each.topic in known]
        fixed = {link.statistics_topic: "clock", link.poses_topic: "models"}
        rows = rows_of(topics, matches, fixed)
        now_ns = monotonic_ns()
        watched = {row.topic.name: link.watched(row.topic.name) for row in rows}
        rates = {name: each.rate.hz(now_ns) if each is not None else None for name, each in watched.items()}
        self.page.topics.show_rows(rows, rates)
        chosen = self.page.topics.current_topic()
        link.want({each.topic for each in matches if each.topic and not each.port.is_command} | {chosen} - {""})
        fed = sum(1 for each in matches if each.topic)
        self.page.fed.setText(f"{fed} of {len(matches)} ports are matched" if matches else "no sources in this project")

    def _show_models(self, link: Link | None) -> None:
        from studio.runtime.gazebo.server import Feature

        models = link.models() if link is not None else []
        can = link is not None and link.is_connected and Feature.SPAWN in link.features
        spawned = frozenset(self._spawned.get(self._front, ())) if self._front is not None else frozenset()
        if not self.page.models.vehicles.count():
            self._show_vehicles()
        self.page.models.show_models(models, spawned, can_change=can)
        chosen = self.page.models.current()
        self.page.world.show_models(models, chosen)
        found = link.agreement(chosen) if link is not None else None
        self.preview.agreement.show_agreement(chosen, found, can_fix=can and not self.is_stepped)

    def _show_vehicles(self) -> None:
        from studio.paths import model_roots

        names = {file.stem for root in model_roots(self.around.folder()) for file in root.glob("assemblies/*.xml")}
        self.page.models.show_vehicles(sorted(names), self.around.assembly())

    def follow_project(self) -> None:
        """Another project: its vehicles, worlds and mapping."""
        self._choices_of = None
        if self.is_open:
            self._show_vehicles()
            self._look_for_programs()

    # ---- servers

    def _choose(self) -> None:
        row = self.servers.list.current()
        address = row.address if row is not None else None
        if address != self._front:
            self._front = address
            self._matched = []
            self.refresh()

    def _connect(self, address: Address) -> None:
        assert self.connections is not None
        try:
            self.connections.connect(address).compare = self._compare
        except StudioError as error:
            self.around.say(str(error), trouble=True)
            return
        self._front = address
        self.servers.list.select(address)
        self.refresh()

    def _compare(self, server: GazeboServer, model: str) -> list[Mismatch] | None:
        """In the thread of the connection: a model with the name of an assembly is its vehicle."""
        from studio.model.geometry.library import Library
        from studio.paths import model_roots
        from studio.runtime.gazebo.connections.spawning import check_vehicle

        folder = self.around.folder()
        is_vehicle = model in Library(model_roots(folder)).assemblies()
        return check_vehicle(server, model, model, folder) if is_vehicle else None

    def _disconnect(self, address: Address) -> None:
        assert self.connections is not None
        self.connections.disconnect(address)
        self.refresh()

    def _add(self, text: str) -> None:
        from studio.runtime.gazebo.connections.address import Address

        assert self.connections is not None
        try:
            address = Address.parse(text)
        except StudioError as error:
            self.servers.entered(is_good=False)
            self.around.say(str(error), trouble=True)
            return
        self.servers.entered(is_good=True)
        self.connections.add(address)
        self._connect(address)

    def _keep(self, address: Address, name: str) -> None:
        assert self.connections is not None
        try:
            self.connections.keep(name, address)
        except StudioError as error:
            self.around.say(str(error), trouble=True)
        self.refresh()

    def _forget(self, address: Address) -> None:
        assert self.connections is not None
        try:
            self.connections.forget(address)
        except StudioError as error:
            self.around.say(str(error), trouble=True)
        self.refresh()

    def _look_again(self) -> None:
        assert self.connections is not None
        self.connections.finder.look_now()
        self._look_for_programs()

    # ---- a server on this machine

    def _look_for_programs(self) -> None:
        from studio.runtime.gazebo import local_classic
        from studio.runtime.gazebo.connections.local import installed_servers, world_files

        folder = self.around.folder()

        def look() -> None:
            servers = installed_servers()
            own = local_classic.installed()
            worlds = world_files(folder, own.root if own is not None else None)
            self._came.put(lambda: self.servers.show_programs(servers, worlds))

        threading.Thread(target=look, name="gazebo-programs", daemon=True).start()

    def _start(self, program: Installed, world: str, is_paused: bool) -> None:
        from studio.runtime.gazebo.connections.local import free_port, log_folder, prepare

        assert self.connections is not None
        self.connections.say("server", f"starting {Path(world).stem}")

        def make_ready() -> None:
            try:
                ready = prepare(program, Path(world), log_folder(), free_port(FIRST_PORT), is_paused=is_paused)
            except StudioError as error:
                said = str(error)
                self._came.put(lambda: self._refuse_start(said))
                return
            self._came.put(lambda: self._run(ready))

        threading.Thread(target=make_ready, name="gazebo-start", daemon=True).start()

    def _refuse_start(self, words: str) -> None:
        if self.connections is not None:
            self.connections.say("server", words, is_trouble=True)
        self.around.say(words, trouble=True)

    def _run(self, ready: Prepared) -> None:
        """In the window's thread: the server ends with the thread that started it."""
        from studio.runtime.gazebo.connections.address import Family
        from studio.runtime.gazebo.connections.local import LocalServer

        if self.connections is None:
            return
        try:
            self.local = LocalServer(ready)
        except OSError as error:
            self._refuse_start(f"the server cannot be started: {error.strerror or error}")
            return
        if ready.address.family is Family.CLASSIC:
            self._connect(ready.address)
        else:
            self.connections.finder.look_now()
        self.refresh()

    def _tell_local(self) -> None:
        local = self.local
        if local is None or self.connections is None:
            return
        if local.is_running:
            where = local.prepared.address
            self.servers.show_local(is_running=True, words=f"{local.prepared.world.stem} runs at {where}, on loopback.")
            if where not in self.connections.links:
                self._connect_own(local)
        else:
            self.servers.show_local(is_running=False, words=local.why_ended or "The server has stopped.")

    def _connect_own(self, local: LocalServer) -> None:
        """A modern one, whose world is known as soon as discovery has seen it."""
        from studio.runtime.gazebo.connections.address import Family

        assert self.connections is not None
        if local.prepared.address.family is Family.MODERN and not local.is_seen:
            found = next((each for each in self.connections.finder.found() if local.is_at(each)), None)
            if found is not None:
                local.is_seen = True
                self._connect(found)

    def _stop(self) -> None:
        local = self.local
        if local is None or self.connections is None:
            return
        for address in list(self.connections.links):
            if local.is_at(address):
                self.connections.disconnect(address)
        local.begin_stop()
        threading.Thread(target=local.stop, name="gazebo-stop", daemon=True).start()

    def _install_server(self) -> None:
        from studio.runtime.gazebo import local_classic

        self._install = ("Beginning", 0.0)

        def progress(what: str, part: float) -> None:
            self._install = (what, part)

        def install() -> None:
            try:
                local_classic.install(progress=progress)
                said, is_good = "Gazebo classic 11 is installed", True
            except StudioError as error:
                said, is_good = str(error), False
            self._install = None
            self._came.put(lambda: self.around.say(said, trouble=not is_good))
            self._came.put(self._look_for_programs)

        threading.Thread(target=install, name="gazebo-install", daemon=True).start()

    def _ask_doctor(self) -> None:
        from studio.runtime.gazebo.doctor import examine, words_of

        self.page.show_doctor("Looking, for about three seconds…")

        def look() -> None:
            try:
                words = words_of(examine())
            except StudioError as error:
                words = str(error)
            self._came.put(lambda: self.page.show_doctor(words))

        threading.Thread(target=look, name="gazebo-doctor", daemon=True).start()

    def _hear(self) -> None:
        while True:
            try:
                self._came.get_nowait()()
            except Empty:
                return

    # ---- asking the server

    def _ask(self, subject: str, done: str, act: Callable[..., object]) -> None:
        link = self.link
        if link is not None:
            link.ask(subject, done, act, self._complain)

    def _complain(self, why_not: str) -> None:
        if why_not:
            self._came.put(lambda: self.around.say(why_not, trouble=True))

    def _move(self, name: str, x: float, y: float, heading: float) -> None:
        from studio.runtime.gazebo.connections.scene import turned
        from studio.runtime.gazebo.server import Placement

        link = self.link
        model = next((each for each in link.models() if each.name == name), None) if link is not None else None
        if model is not None:
            at = Placement((x, y, model.placement.position_m[2]), turned(heading))
            self._ask(name, f"moved to {x:g}, {y:g} m", lambda server: server.move(name, at))

    def _bring_home(self, name: str) -> None:
        home = self.link.home(name) if self.link is not None else None
        if home is not None:
            self._ask(name, "back where it was at first", lambda server: server.move(name, home))

    def _spawn(self, assembly: str, x: float, y: float, heading: float) -> None:
        from studio.runtime.gazebo.connections.spawning import spawn_vehicle

        folder = self.around.folder()
        if self._front is not None:
            self._spawned.setdefault(self._front, set()).add(assembly)
        self.page.models.select(assembly)
        self._ask(
            assembly,
            f"spawned at {x:g}, {y:g} m",
            lambda server: spawn_vehicle(server, assembly, folder, x, y, heading),
        )

    def _replace(self, model: str) -> None:
        from studio.runtime.gazebo.connections.spawning import replace_vehicle

        folder = self.around.folder()
        self._ask(model, "replaced by its assembly", lambda server: replace_vehicle(server, model, model, folder))

    def follow_phase(self, phase: str) -> None:
        """The system of the project pauses, stands at a breakpoint or goes on: so does the server, where it ran."""
        link = self.link
        if link is None or self.is_stepped or not self.page.controls.follow.isChecked():
            return
        told = link.statistics
        if phase == "paused" and told is not None and not told.is_paused:
            self._has_paused = link.address
            self._ask("world", "paused with the system", lambda server: server.pause(True))
        elif phase in ("running", "stopped") and self._has_paused == link.address:
            self._has_paused = None
            self._ask("world", "resumed with the system", lambda server: server.pause(False))

    # ---- mapping

    def _ports(self) -> list[Port]:
        from studio.runtime.gazebo.connections.mapping import ports_of

        return ports_of(self.around.sources())

    def _load_choices(self) -> None:
        from studio.runtime.gazebo.connections.mapping import load_choices

        folder = self.around.folder()
        if folder is None or folder == self._choices_of:
            return
        self._choices_of, self._choices = folder, {}
        try:
            self._choices = load_choices(folder)
        except StudioError as error:
            self.around.say(str(error), trouble=True)

    def _known_topics(self) -> list[Topic]:
        link = self.link
        return [*self._matched, *(link.topics() if link is not None else [])]

    def _match_again(self) -> None:
        self._matched = []
        self._choose_ports({})

    def _choose_port(self, topic: str, port: str) -> None:
        """A port of its own for the topic, or none."""
        from studio.runtime.gazebo.connections.mapping import NONE, match

        choices = dict(self._choices)
        for each in match(self._ports(), self._known_topics(), self._choices):
            if each.topic == topic:
                choices[str(each.port)] = NONE
        if port:
            choices[port] = topic
        self._choose_ports(choices)

    def _choose_ports(self, choices: dict[str, str]) -> None:
        from studio.runtime.gazebo.connections.mapping import save_choices

        folder = self.around.folder()
        self._choices = choices
        if folder is not None:
            try:
                save_choices(folder, choices)
            except StudioError as error:
                self.around.say(str(error), trouble=True)
        self.refresh()
