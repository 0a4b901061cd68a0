"""One file for each change of the schema; a file that was released never changes again."""
