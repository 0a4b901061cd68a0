"""What a person sees of a pit that plays: players with habits, rounds as they are settled."""
