"""Compare the vector environment on CUDA with the one on the CPU, step by step.  Prints "same"."""

from __future__ import annotations

from typing import Any

import numpy as np

from wateringhole.learn.vector_env import BatchEnv


def host(array: Any) -> Any:
    return array.copy_to_host() if hasattr(array, "copy_to_host") else np.asarray(array)


def main() -> None:
    cpu, cuda = (
        BatchEnv("porrinha", ["random", "zero"], num_envs=5, seat=1, rules="sticks=1", device=device)
        for device in ("cpu", "cuda")
    )
    cpu.reset(seed=1)
    cuda.reset(seed=1)
    ends = 0
    for _ in range(15):
        actions = cpu.sample_actions().copy()
        one, other = cpu.step(actions), cuda.step(actions)
        assert hasattr(other[0]["observation"], "copy_to_host"), "observations stay on the device"
        for name in ("observation", "action_mask"):
            assert (one[0][name] == host(other[0][name])).all(), name
        for mine, theirs in zip(one[1:4], other[1:4], strict=True):
            assert (mine == host(theirs)).all()
        ends += one[2].sum()
    assert ends
    print("same")


main()
