"""The parts of :func:`torr_plugin.tables.documents.read_filing`, from the tree of an HTML text to blocks.

``flow`` walks the tree; ``grids``, ``columns`` and ``layout`` make tables of what are tables; ``pages``,
``headings`` and ``surroundings`` find page numbers, headings, titles and footnotes in the order of the text.
"""
