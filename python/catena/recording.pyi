from os import PathLike
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import Scene
from .settings import Settings

Array = NDArray[np.float64]

class Recording:
    names: list[str]
    data: Array
    status: str
    message: str
    worst: dict[str, float]
    scene: Optional[Scene]
    settings: Optional[Settings]
    def __init__(
        self,
        names: Sequence[str],
        rows: Any,
        scene: Optional[Scene] = ...,
        settings: Optional[Mapping[str, Any]] = ...,
        status: str = ...,
        message: str = ...,
        worst: Optional[Mapping[str, float]] = ...,
        poses: Any = ...,
    ) -> None: ...
    @staticmethod
    def load(file: Union[str, "PathLike[str]"]) -> Recording: ...
    @property
    def time(self) -> Array: ...
    @property
    def ok(self) -> bool: ...
    def __getitem__(self, name: str) -> Array: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def to_pandas(self) -> Any: ...
    def plot(self, *names: str, axes: Any = ...) -> Any: ...
    def save(self, file: Union[str, "PathLike[str]"]) -> None: ...
