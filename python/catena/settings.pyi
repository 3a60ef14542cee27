from typing import Any, Mapping, Optional

class Settings(dict[str, Any]):
    method: str
    integrator: str
    stabilise: str
    solver: str
    contact_solver: str
    formulation: str
    coordinates: str
    contacts: str
    seed: int
    step: float
    duration: float
    sample: float
    tolerance: float
    position_tolerance: float
    velocity_tolerance: float
    contact_margin: float
    contact_tolerance: float
    restitution_threshold: float
    facets: int
    sweeps: int
    sweep_algorithm: str
    sweep_order: str
    sweep_friction: str
    sweep_relaxation: float
    assembly_speed: float
    baumgarte: float
    sleep: bool
    threads: int
    tuning: dict[str, float]
    def __init__(self, given: Optional[Mapping[str, Any]] = ..., **words: Any) -> None: ...
    def copy(self) -> Settings: ...
