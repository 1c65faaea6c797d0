"""The tree navigator: a model picks sections from a map that is small however long the documents are."""
