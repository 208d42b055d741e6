"""What all pages share: templates, static files, refusals, and the site as an app."""
