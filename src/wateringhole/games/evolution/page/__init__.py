"""How the page draws Evolution: scenes here, the view in JavaScript beside them."""
