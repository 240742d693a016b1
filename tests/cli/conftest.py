from __future__ import annotations

import pytest

from studio.cli import main
from tests.cli.running import Result, Studio


@pytest.fixture
def studio(capsys: pytest.CaptureFixture[str]) -> Studio:
    """Runs a command line in this process: `studio("check", folder, "--json")`."""

    def run(*words: object) -> Result:
        capsys.readouterr()
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run
