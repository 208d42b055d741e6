"""The pages of a game: starting one, the lobby, the board, invitations."""
