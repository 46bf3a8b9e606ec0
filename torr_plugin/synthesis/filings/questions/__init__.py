"""Questions on a filing at three levels; the answers of the first two hold by construction."""
