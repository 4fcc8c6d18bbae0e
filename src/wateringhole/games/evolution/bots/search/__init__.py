"""The search player: it tries the champion's likely answers on sampled states of the compiled engine."""
