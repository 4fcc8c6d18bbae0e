"""The player `expert`: beliefs about hands, a trained strategy, and models of opponents."""
