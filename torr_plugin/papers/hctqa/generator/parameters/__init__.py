"""Read the three parameter files and check them against each other; errors are one line."""
