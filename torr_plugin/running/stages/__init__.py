"""Which requests of a study are open, and what follows from an answer: strategies of several calls.

:class:`.study_source.StudySource` is what executors take requests from; ``cells`` is the state of those
under way, ``follow_ups`` makes and stores the requests of later steps.
"""
