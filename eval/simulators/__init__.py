"""Outside worlds that tests and benches share; so far the running product and its visitor."""
