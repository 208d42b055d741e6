"""What all parts of Farkel lean on: limits of input, lock files, the work clock, extras, data frames, the system."""
