"""Questions to the person at the terminal: keyboard, menus and what every human player shares."""
