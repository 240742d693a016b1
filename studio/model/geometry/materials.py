"""Densities of what vehicles are built of, to choose from."""

from __future__ import annotations

MATERIALS_KG_M3: dict[str, float] = {
    "Water": 1000.0,
    "Steel": 7850.0,
    "Aluminium": 2700.0,
    "Brass": 8500.0,
    "Carbon fibre": 1600.0,
    "ABS": 1040.0,
    "PLA": 1240.0,
    "Nylon": 1150.0,
    "Rubber": 1200.0,
    "Plywood": 680.0,
    "Foam": 40.0,
    "Battery (Li-ion)": 2400.0,
}


def material_of(density_kg_m3: float | None) -> str:
    """Its name; empty for a density that is none of these."""
    return next((name for name, value in MATERIALS_KG_M3.items() if value == density_kg_m3), "")
