"""The reading agent: a model with tools reads until it has enough, and says so when it has not."""
