"""Protection, and whatever else only concerns requests and answers: limits, headers, cookies, bodies, connections."""
