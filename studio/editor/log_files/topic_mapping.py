"""Which topic of a log feeds which port of the sources: chosen in a table, one row for each port."""

from __future__ import annotations

from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from studio.editor.log_files.log_facts import LogFacts, mapping_for, name_in
from studio.editor.look.dialog_parts import button_row, fill
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.model.source_edits import MapTopics, SetProvider
from studio.model.sources import LogProvider, Source, suggest_topics
from studio.model.system_edits import Compound

NOTHING = "— nothing —"


class MappingDialog(QDialog):
    """Only topics of the port's own type are offered: another one could not be played into it."""

    def __init__(self, parent: QWidget, theme: Theme, session: Session, facts: LogFacts) -> None:
        super().__init__(parent)
        self.session, self.facts, self.theme = session, facts, theme
        self.setWindowTitle("Which topic feeds which port?")
        self.setMinimumWidth(620)
        title = QLabel(facts.path.name)
        title.setStyleSheet("font-size: 15px; font-weight: 600;")
        what = QLabel(f"{facts.words}. Ports get the recorded messages of these topics.")
        what.setProperty("role", "muted")
        what.setWordWrap(True)
        self.boxes: dict[tuple[str, str], QComboBox] = {}
        table = QWidget()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(2, 1)
        for column, words in enumerate(("Port", "Type", "Topic of the log")):
            label = QLabel(words)
            label.setProperty("role", "muted")
            grid.addWidget(label, 0, column)
        row = 1
        for source in self._sources():
            row = self._add_source(grid, source, row)
        grid.setRowStretch(row, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(table)
        area.setMinimumHeight(min(420, 40 + 34 * row))
        self.words = QLabel()
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.suggest, self.cancel, self.apply = QPushButton("Suggest"), QPushButton("Cancel"), QPushButton("Apply")
        self.suggest.setToolTip("By names and types")
        self.apply.setProperty("primary", "true")
        self.apply.setDefault(True)
        self.suggest.clicked.connect(self._suggest)
        self.cancel.clicked.connect(self.reject)
        self.apply.clicked.connect(self._apply)
        buttons = button_row(self.cancel, self.apply, words=self.words, left=self.suggest)
        fill(self, title, what, area, buttons)
        self._look()

    def _sources(self) -> list[Source]:
        return [
            source for source in self.session.system.sources if any(port.direction == "out" for port in source.ports)
        ]

    def _add_source(self, grid: QGridLayout, source: Source, row: int) -> int:
        chosen = mapping_for(source, self.facts)
        for port in source.ports:
            if port.direction != "out":
                continue
            box = QComboBox()
            box.setAccessibleName(f"Topic for {source.name}.{port.name}")
            box.addItem(NOTHING, "")
            for topic, its_type in self.facts.kinds.items():
                if its_type == port.type:
                    box.addItem(topic, topic)
            box.setCurrentIndex(max(box.findData(chosen.get(port.name, "")), 0))
            box.currentIndexChanged.connect(lambda _: self._look())
            kind = QLabel(port.type + (" (truth)" if port.truth else ""))
            kind.setStyleSheet(f"color: {self.theme.hue(port.type)};")
            grid.addWidget(QLabel(f"{source.name}.{port.name}"), row, 0)
            grid.addWidget(kind, row, 1)
            grid.addWidget(box, row, 2)
            self.boxes[source.name, port.name] = box
            row += 1
        return row

    def chosen(self, source: Source) -> dict[str, str]:
        ports = [port.name for port in source.ports if port.direction == "out"]
        return {port: topic for port in ports if (topic := str(self.boxes[source.name, port].currentData()))}

    def _suggest(self) -> None:
        for source in self._sources():
            for port, topic in suggest_topics(source, self.facts.kinds).items():
                box = self.boxes[source.name, port]
                box.setCurrentIndex(max(box.findData(topic), 0))

    def _look(self) -> None:
        truth = {(source.name, port.name) for source in self._sources() for port in source.ports if port.truth}
        empty = [f"{name}.{port}" for (name, port), box in self.boxes.items()
                 if not box.currentData() and (name, port) not in truth]  # fmt: skip
        topics = [box.currentData() for box in self.boxes.values() if box.currentData()]
        twice = sorted({topic for topic in topics if topics.count(topic) > 1})
        if twice:
            self.words.setText(f"{twice[0]} can feed one port only")
        else:
            unbound = [source.name for source in self._unbound()]
            without = f"{unbound[0]} plays this log no more" if unbound else ""
            nothing = f"Nothing feeds {', '.join(empty[:3])}" if empty else ""
            self.words.setText(without or nothing)
        self.apply.setEnabled(not twice and (bool(topics) or bool(self._unbound())))

    def _unbound(self) -> list[Source]:
        """Those that play this log until now, and of which no port shall get anything of it."""
        name = name_in(self.session.folder, self.facts.path)
        return [
            source
            for source in self._sources()
            if source.logged is not None and source.logged.log == name and not self.chosen(source)
        ]

    def _apply(self) -> None:
        edits: list[SetProvider | MapTopics] = []
        edits += [SetProvider(source.name, "logged", None) for source in self._unbound()]
        name = name_in(self.session.folder, self.facts.path)
        for source in self._sources():
            topics = self.chosen(source)
            if not topics:
                continue
            if source.logged is None or source.logged.log != name:
                edits.append(SetProvider(source.name, "logged", LogProvider(name, topics)))
            elif dict(source.logged.topics) != topics:
                edits.append(MapTopics(source.name, topics))
        if edits and not self.session.do(Compound(f"Map {self.facts.path.name}", tuple(edits))):
            return
        self.accept()
