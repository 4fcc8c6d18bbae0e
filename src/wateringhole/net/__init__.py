"""Remote players: the server and the client, and the connections between them."""
