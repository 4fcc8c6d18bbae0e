"""The rules of Porrinha, without input, output, clock or strategy."""
