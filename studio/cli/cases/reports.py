"""What came of the cases: a table for people, JUnit XML for machines, Markdown for those who read a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from studio.cli.cases.running import CaseResult
from studio.cli.shared.colours import paint_verdict

VERDICTS = {True: "passed", False: "failed"}


def summary(results: Sequence[CaseResult]) -> str:
    passed = sum(each.passed for each in results)
    return f"{passed} of {len(results)} cases passed"


def result_text(result: CaseResult) -> Iterator[str]:
    verdict = paint_verdict(VERDICTS[result.passed], good=result.passed)
    accepted = ", its golden log is new" if result.accepted and not result.trouble else ""
    yield f"{verdict}  {result.case.name}  {result.seconds:.1f} s{accepted}"
    for failure in result.failures:
        yield from (f"        {line}" for line in failure.splitlines())
    if result.causes:
        yield f"        causes, the first one first: {' → '.join(result.causes)}"
    if result.judged.comparison is not None and not result.passed:
        yield from (f"        the runs differ in {each}" for each in result.judged.comparison.runs)


def results_json(project: str, results: Sequence[CaseResult]) -> dict[str, Any]:
    return {
        "project": project,
        "passed": all(each.passed for each in results),
        "cases": {each.case.name: _json(each) for each in results},
    }


def _json(result: CaseResult) -> dict[str, Any]:
    return {
        "passed": result.passed,
        "seconds": round(result.seconds, 3),
        "trouble": result.trouble,
        "failures": [
            {"expected": each.expected, "found": each.found, "event": str(each.place) if each.place else None}
            for each in result.judged.failures
        ],
        "causes": result.causes,
        "accepted": result.accepted,
        "log": str(result.log) if result.log.exists() else None,
    }


def junit(project: str, results: Sequence[CaseResult]) -> bytes:
    """One suite, as all servers of continuous integration read it."""
    failed = sum(bool(each.judged.failures) and not each.trouble for each in results)
    counts = {"tests": len(results), "failures": failed, "errors": sum(bool(each.trouble) for each in results)}
    suite = etree.Element("testsuite", name=project, time=f"{sum(each.seconds for each in results):.3f}")
    suite.attrib.update({name: str(count) for name, count in counts.items()})
    for result in results:
        case = etree.SubElement(
            suite, "testcase", name=result.case.name, classname=project, file=result.case.file.name,
            time=f"{result.seconds:.3f}",
        )  # fmt: skip
        if not result.passed:
            kind = "error" if result.trouble else "failure"
            told = "\n".join([*result.failures, *(f"caused by {each}" for each in result.causes)])
            etree.SubElement(case, kind, message=_plain(result.failures[0])).text = _plain(told)
    return bytes(etree.tostring(suite, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _plain(text: str) -> str:
    """XML has no control characters but line ends and tabs."""
    return "".join(each for each in text if each.isprintable() or each in "\n\t")


def markdown(project: str, results: Sequence[CaseResult]) -> str:
    """Read in a pull request: what failed first, each with what was found and why."""
    lines = [f"## {project}: {summary(results)}", "", "| case | result | time |", "|---|---|---|"]
    for each in sorted(results, key=lambda result: result.passed):
        mark = "✅ passed" if each.passed else "❌ **failed**"
        lines.append(f"| {_cell(each.case.name)} | {mark} | {each.seconds:.1f} s |")
    for each in results:
        if not each.passed:
            lines += ["", *_failed(each)]
    return "\n".join(lines) + "\n"


def _failed(result: CaseResult) -> Iterator[str]:
    yield f"### {result.case.name}"
    if result.case.doc:
        yield f"{result.case.doc}"
    yield ""
    if result.trouble:
        yield from ("It did not run to its end:", "", "```", result.trouble.replace("```", "'''"), "```")
        return
    for failure in result.judged.failures:
        at = f" (`{failure.place}`)" if failure.place else ""
        yield f"- `{failure.expected}`: {failure.found}{at}"
    if result.causes:
        yield f"- causes: {' → '.join(f'`{each}`' for each in result.causes)}"
    comparison = result.judged.comparison
    if comparison is None or comparison.identical:
        return
    yield from (f"- the runs differ in {each}" for each in comparison.runs)
    yield from ("", "| topic | expected | found | differ |", "|---|---|---|---|")
    for topic in comparison.topics.values():
        if not topic.identical:
            differ = topic.differing + topic.missing + topic.extra
            yield f"| {_cell(topic.topic)} | {topic.events_a} | {topic.events_b} | {differ} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
