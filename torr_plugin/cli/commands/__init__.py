"""The commands of ``torr``, a file each: options in, stages called, results shown. ``cli.py`` lists them."""
