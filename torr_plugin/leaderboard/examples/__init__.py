"""The examples of a study for its page: found, measured, and packed into files that are loaded one by one."""
