"""Fuzzing: mutated inputs for everything that reads what others have written (`python -m tools.fuzz`).

`targets` has a function for each kind of input, which raises an exception only for a bug.  `corpus` makes small real
inputs from our own games, `mutations` changes them, and `engine` lets Atheris search for inputs that reach new code.
"""
