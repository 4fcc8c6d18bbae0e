"""The rules of Evolution, without input, output, clock or strategy."""
