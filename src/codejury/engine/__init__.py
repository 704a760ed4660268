"""Many jobs over many slots: this machine's, or those of a container."""

from codejury.engine.container import ContainerEngine
from codejury.engine.launch import DEFAULT_IMAGE, ENGINES, ContainerSettings
from codejury.engine.local import LocalEngine, usable_cores

AnyEngine = LocalEngine | ContainerEngine

__all__ = [
    "DEFAULT_IMAGE",
    "ENGINES",
    "AnyEngine",
    "ContainerEngine",
    "ContainerSettings",
    "LocalEngine",
    "usable_cores",
]
