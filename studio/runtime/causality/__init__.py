"""Who led to what: causes and effects of events, of a log or of a running system."""
