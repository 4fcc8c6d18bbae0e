"""`wateringhole doctor`: what a bug report needs, and which isolation of players this machine provides."""

from __future__ import annotations

import typer

from wateringhole.cli.common import Json

__all__ = ["doctor"]

_COLOURS = {"works": "green", "missing": "yellow", "broken": "red"}


def doctor(json: Json = False) -> None:
    """Show all versions, and test the isolation of players; exit with status 1 if a part of it is broken.

    Paste the output into a bug report.  Small programs try to break out of the isolation.  A part that the machine
    does not offer is missing, which is not an error.

    Example: wateringhole doctor
    """
    from rich.console import Console
    from rich.markup import escape

    from wateringhole.cli.environment import cuda, describe_environment
    from wateringhole.process.doctor import Finding, examine
    from wateringhole.process.machine import machine_isolation

    console = Console(soft_wrap=True, highlight=False, emoji=False)
    environment = {**describe_environment(), "CUDA": cuda()}
    if not json:
        for name, text in environment.items():
            console.print(f"{name:<16}{escape(text)}")
        console.print()
    findings: list[Finding] = []
    for finding in examine():
        findings.append(finding)
        if not json:
            colour = _COLOURS[finding.status]
            console.print(f"{finding.name:<16}[{colour}]{finding.status:<9}[/{colour}]{escape(finding.text)}")
    machine = machine_isolation()
    is_broken = any(finding.status == "broken" for finding in findings)
    if json:
        import msgspec

        report = {"environment": environment, "isolation": machine, "findings": findings, "is_broken": is_broken}
        print(msgspec.json.encode(report).decode())
    else:
        console.print(f"\nPlayers can get: {escape(machine.describe(sandboxed=True))}.")
        for missing in machine.missing:
            console.print(f"[yellow]missing[/yellow]  {escape(missing.problem)}. {escape(missing.remedy)}")
        if is_broken:
            console.print("[red]broken[/red]   Do not run untrusted players here.")
    raise typer.Exit(1 if is_broken else 0)
