"""Taking up what was taken up before and came to nothing."""

from collections.abc import Callable
from contextlib import suppress

from bot.store import Lost, Run, Store


async def taken_up(store: Store, run: Run, *, failed: Callable[[Run], bool]) -> Run | None:
    """What is kept of the run, owned by this process: None where it was taken up before and has not failed since.
    Each time it is taken up is an attempt."""
    begun = await store.begin(run)
    if begun is not None:
        return begun
    mine = False

    def again(kept: Run) -> Run:
        nonlocal mine
        mine = failed(kept)
        update = {"status": "open", "owner": store.process, "attempt": kept.attempt + 1}
        return kept.model_copy(update=update) if mine else kept

    with suppress(Lost):
        kept = await store.change(run.key, again, own=False)
        return kept if mine else None
    return None
