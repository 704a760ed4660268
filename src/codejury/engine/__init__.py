"""Many jobs over many slots: this machine's, or those of a container."""

from codejury.engine.container import ContainerEngine
from codejury.engine.launch import DEFAULT_IMAGE, ENGINES, ContainerSettings, answers, image_id
from codejury.engine.local import LocalEngine, usable_cores

AnyEngine = LocalEngine | ContainerEngine

__all__ = [
    "DEFAULT_IMAGE",
    "ENGINES",
    "AnyEngine",
    "ContainerEngine",
    "ContainerSettings",
    "LocalEngine",
    "answers",
    "image_id",
    "usable_cores",
]
