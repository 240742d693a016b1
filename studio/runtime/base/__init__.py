"""What every room of the runtime stands on: clock, processes, typed JSON, digests."""
