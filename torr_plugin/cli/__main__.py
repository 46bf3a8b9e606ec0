"""``python -m torr_plugin.cli``: the ``torr`` command."""

from .app import main

if __name__ == "__main__":
    main()
