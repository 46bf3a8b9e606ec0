"""Charts of the pages, drawn while the site is made."""
