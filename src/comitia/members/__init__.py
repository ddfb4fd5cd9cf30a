"""Members from files: checkpoints of any origin → predictions on a hold-out → weights, certificates, a bundle.

`find_members` recognises files, `open_member` loads one of them, `open_data` gives the hold-out in batches.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia.members.finding import find_members as find_members
    from comitia.members.opening import Member as Member
    from comitia.members.opening import open_member as open_member
    from comitia.members.record import KINDS as KINDS
    from comitia.members.record import MemberFile as MemberFile

# Imported when first asked for: most need torch.
_HOMES = {
    "KINDS": "record",
    "MemberFile": "record",
    "Member": "opening",
    "find_members": "finding",
    "open_member": "opening",
}
__all__ = ["KINDS", "Member", "MemberFile", "find_members", "open_member"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
