"""How the page draws Porrinha: scenes here, the view in JavaScript beside them."""
