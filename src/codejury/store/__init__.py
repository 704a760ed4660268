"""Runs in a database."""

from codejury.store.database import DEFAULT_PATH, ENVIRONMENT
from codejury.store.ingest import Ingested
from codejury.store.measures import MEASURES, Measured
from codejury.store.merge import Disagreement, Part
from codejury.store.queries import Counts, Flip, RunInfo, StoredVerdict, TallyRow
from codejury.store.rollout_staging import SEVERITIES
from codejury.store.rollouts import ModeRow, RolloutColumns, RolloutRunInfo, RolloutStore
from codejury.store.sink import RunSink
from codejury.store.store import Store
from codejury.store.texts import StoreLibrary

__all__ = [
    "DEFAULT_PATH",
    "ENVIRONMENT",
    "MEASURES",
    "SEVERITIES",
    "Counts",
    "Disagreement",
    "Flip",
    "Ingested",
    "Measured",
    "ModeRow",
    "Part",
    "RolloutColumns",
    "RolloutRunInfo",
    "RolloutStore",
    "RunInfo",
    "RunSink",
    "Store",
    "StoreLibrary",
    "StoredVerdict",
    "TallyRow",
]
