"""The commands of ``torr`` by concept: options in, stages called, results shown. ``app.py`` lists them."""
