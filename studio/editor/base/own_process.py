"""A process of our own interpreter that belongs to an object of Qt, for those that do not wait for it."""

from __future__ import annotations

from PyQt6.QtCore import QObject, QProcess, QProcessEnvironment

from studio.runtime.base.interpreter import module_command, own_environment


def own_process(parent: QObject, module: str, *words: str) -> QProcess:
    """`python -m module words`, as Studio starts Python; the caller connects to it, and starts it."""
    process = QProcess(parent)
    environment = QProcessEnvironment()
    for name, value in own_environment().items():
        environment.insert(name, value)
    process.setProcessEnvironment(environment)
    program, *arguments = module_command(module, *words)
    process.setProgram(program)
    process.setArguments(arguments)
    return process
