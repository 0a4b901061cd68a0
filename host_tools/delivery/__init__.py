"""What is delivered: the packages of each extra, their locks, wheel and source archive."""
