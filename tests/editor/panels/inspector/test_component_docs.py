"""The README of a component can be read in a panel of 260 pixels."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QUrl
from PyQt6.QtGui import QTextTable
from PyQt6.QtWidgets import QApplication

from studio.editor.panels.inspector.component_docs import ComponentDocs, narrowed
from studio.model.registry import Registry
from studio.paths import component_roots

README = """# low_pass

Smooths a signal.

```xml
# not a heading
| not | a table |
```

## More

| port | direction | type |
|---|---|---|
| `raw` | in | Float64 |
| `smooth` | out | |
"""


def test_tables_are_lists_and_the_title_is_not_there_twice() -> None:
    text = narrowed(README)
    assert text.startswith("Smooths a signal.")
    assert "# not a heading" in text and "| not | a table |" in text
    assert "**More**" in text and "- **`raw`** in · Float64" in text and "- **`smooth`** out" in text


@pytest.mark.parametrize("name", ["low_pass", "terrain_map", "arc_arbiter", "modelserver"])
def test_nothing_has_to_be_scrolled_sideways(name: str, qapp: QApplication) -> None:
    spec = Registry.scan(component_roots()).get(name)
    assert spec is not None
    docs = ComponentDocs(spec)
    docs.resize(262, 500)
    docs.show()
    bar, document = docs.horizontalScrollBar(), docs.document()
    assert bar is not None and bar.maximum() == 0
    assert document is not None
    root = document.rootFrame()
    assert root is not None and not [each for each in root.childFrames() if isinstance(each, QTextTable)]
    docs.close()


def test_the_readme_opens_as_a_page(qapp: QApplication) -> None:
    spec = Registry.scan(component_roots()).get("low_pass")
    assert spec is not None and spec.folder is not None
    docs, wanted = ComponentDocs(spec), []
    docs.page_wanted.connect(wanted.append)
    assert docs.toPlainText().endswith("Open as a page")
    docs.anchorClicked.emit(QUrl("README.md"))
    assert wanted == [(spec.folder / "README.md").resolve()]
