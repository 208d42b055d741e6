"""The commands of the command line, a module each: its options, what it prints, and its JSON."""
