"""The system calls that the sandbox refuses, because namespaces do not separate what they reach.

Two players could leave notes for each other in the keyring of the user, or meet at a port of the virtual machine
(`AF_VSOCK`).  The filter is a program for the kernel (seccomp), which bubblewrap loads.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from typing import NamedTuple

__all__ = ["system_call_filter"]


class _Machine(NamedTuple):
    """The numbers of a processor architecture."""

    architecture: int
    socket: int
    refused: tuple[int, ...]
    """The calls `add_key`, `request_key`, `keyctl`, and `io_uring_setup`, by which sockets could be made as well."""


_GENERIC = 198, (217, 218, 219, 425)
_MACHINES = {
    "x86_64": _Machine(0xC000003E, 41, (248, 249, 250, 425)),
    "aarch64": _Machine(0xC00000B7, *_GENERIC),
    "riscv64": _Machine(0xC00000F3, *_GENERIC),
}
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""The sockets that belong to a namespace.  The last are AF_NETLINK, which Python knows on Linux only."""
_X32 = 0x40000000
"""Calls with this bit are a second set of numbers for the same calls on x86_64."""

# The parts of `struct seccomp_data`, and the instructions of the program
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _IF_EQUAL, _IF_GREATER_OR_EQUAL, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def system_call_filter() -> bytes | None:
    """Return the filter for this machine, or None if its system calls are not known here."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        return None
    missing = _step(_RETURN, _ERROR | errno.ENOSYS)
    # A condition continues with the next instruction, or skips it.
    steps = [
        *(_step(_LOAD, _ARCHITECTURE), _step(_IF_EQUAL, machine.architecture, 1, 0), _step(_RETURN, _KILL)),
        *(_step(_LOAD, _CALL), _step(_IF_GREATER_OR_EQUAL, _X32, 0, 1), missing),
    ]
    for number in machine.refused:
        steps += [_step(_IF_EQUAL, number, 0, 1), missing]
    steps += [_step(_IF_EQUAL, machine.socket, 1, 0), _step(_RETURN, _ALLOW), _step(_LOAD, _FIRST_ARGUMENT)]
    for family in _FAMILIES:
        steps += [_step(_IF_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    return b"".join([*steps, _step(_RETURN, _ERROR | errno.EAFNOSUPPORT)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return an instruction, with the numbers of instructions that a condition skips."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
