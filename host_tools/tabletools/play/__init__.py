"""The display of a played pit: players with habits, rounds as they are settled."""
