"""On Ray: a pool of replicas, each an actor with one model; the driver sends requests and stores the answers.

In: jobs. Out: batches of answers. What is decided is in :mod:`.pool`, which knows no Ray; :mod:`.executor`
has Ray do it, :mod:`.cluster` asks about the cluster, :mod:`.replica` runs in the actors.
"""
