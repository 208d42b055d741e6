"""Groups of people who play together: members, results, their API and pages."""
