"""The library and the model that tests of questions share."""

from __future__ import annotations

from asking_fixtures import add as add, library as library, model as model, server as server
