"""The ``torr`` command: ``app`` lists the commands, ``commands/`` has a file a command, the rest is what the terminal shows."""
