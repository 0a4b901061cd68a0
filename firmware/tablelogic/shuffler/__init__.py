"""A card shuffler and its shoe: the role `shuffler`."""
