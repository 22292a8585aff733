"""How near nonsense comes: the cosine below which a dense match means nothing, measured on the model itself.

Every model spreads its cosines differently: over SciFact's abstracts the best match of random letters or invented
words reaches .35 with all-MiniLM-L6-v2 and .62 with nomic-embed-text.  A model nobody measured is therefore asked,
once, about twelve short passages: with their own questions, and with nonsense.
"""

import json
import logging
import os
from pathlib import Path

import numpy as np

from indexers.embedding import Vectors

logger = logging.getLogger(__name__)

PAIRS = (
    ("How many days of leave do new employees get?", "New employees are entitled to 25 days of paid leave a year."),
    ("What did the storm damage?", "The storm tore the roof off the warehouse and flooded the lower car park."),
    ("When does the night train leave for Vienna?", "The sleeper to Vienna departs at 21:40 from platform nine."),
    ("How do I rotate the signing key?", "Create a new signing key, deploy it, then revoke the old one after a day."),
    ("Which antibiotic was used?", "Patients were treated with amoxicillin for ten days and recovered fully."),
    ("Who approved the budget?", "The finance committee approved the budget for the third quarter on Monday."),
    ("How is the bread baked?", "Let the dough rise overnight, then bake it at 240 degrees for half an hour."),
    ("Why is the build slow?", "Compilation takes long because the cache is not shared between the runners."),
    ("Combien coûte l'abonnement ?", "L'abonnement coûte douze euros par mois, sans engagement."),
    ("Où se trouve la salle de réunion ?", "La salle de réunion est au deuxième étage, à gauche de l'ascenseur."),
    ("Qui a écrit ce roman ?", "Ce roman a été écrit en 1862 par un auteur alors en exil."),
    ("Comment réinitialiser le mot de passe ?", "Pour changer votre mot de passe, suivez le lien reçu par courriel."),
)
"""Questions, each with the passage that answers it."""

NONSENSE = (
    "zxqv blorp wug",
    "flurbnog quibbit zanthor",
    "qjx vvkt rrpzl",
    "xyzzy plugh",
    "tobeli mafuro sen gavi",
    "asdf qwer zxcv",
    "wuggle snarfen britch mopple",
    "krel vontu daspi",
    "hgtr wqpl mnbv ztr",
    "pilu rodema kis tavon belu",
    "zzzzzzzz",
    "drumbolk efnarish quontle",
)


def floor_of(passages: Vectors, questions: Vectors, nonsense: Vectors) -> float:
    """Halfway from the nearest that nonsense comes to what a true pair has; rows have length 1.

    Against what was measured at length: .35 for all-MiniLM-L6-v2, .62 for nomic-embed-text; it gives .43 and .60.
    """
    nearest = float(np.quantile(nonsense @ passages.T, 0.99))
    true = float(np.mean(np.sum(questions * passages, axis=1)))
    return round(nearest + max(true - nearest, 0.0) / 2, 3)


def kept_floor(file: Path, name: str) -> float | None:
    """What was measured before, from a small JSON file of name and floor; None where there is nothing of use."""
    floor = _kept(file).get(name)
    return float(floor) if isinstance(floor, int | float) else None


def keep_floor(file: Path, name: str, floor: float) -> None:
    """Add what was measured to the file; one that cannot be written only means to measure again."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({**_kept(file), name: floor}), "utf-8")
        part.replace(file)
    except OSError as error:
        logger.info("The floor of %s could not be kept (%s).", name, type(error).__name__)


def _kept(file: Path) -> dict[str, object]:
    try:
        kept = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
