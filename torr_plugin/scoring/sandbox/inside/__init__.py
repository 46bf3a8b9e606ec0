"""The code on the other side of the wall: it runs in the sandbox alone, beside the charts' programs.

It knows nothing of the package around it, which is not there: the standard library, matplotlib and what
charts are drawn from are all that it imports. Our own process asks it only which machines have a filter.
"""
