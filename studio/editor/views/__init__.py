"""Pictures of messages: widgets that know messages and nothing of sockets, and the numbers behind them."""
