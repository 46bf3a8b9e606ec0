"""The pages of a study, one module each: ``files(study)`` returns the page and the data that it loads."""
