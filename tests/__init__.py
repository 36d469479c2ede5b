"""By what is real: domain and stages alone, contract on fakes and the real thing, storage on PostgreSQL, journeys."""
