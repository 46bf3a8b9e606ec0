"""The ``torr`` command: ``app`` lists the commands, ``commands`` has them, ``console`` what they show."""
