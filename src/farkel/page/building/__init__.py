"""Makes the folder that any file host serves: ``farkel page DIR``."""
