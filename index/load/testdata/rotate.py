"""Rotates log files."""
import gzip
import pathlib

KEEP = 7  # days


def rotate(path: pathlib.Path) -> pathlib.Path:
    """Compresses yesterday's file and returns the new one."""
    target = path.with_suffix(".gz")
    with path.open("rb") as source, gzip.open(target, "wb") as out:
        out.writelines(source)

    path.unlink()
    return target


# Only whole days count.
def expired(age: int) -> bool:
    return age > KEEP


class Rotator:
    """Watches a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def run(self) -> int:
        return sum(1 for p in self.folder.glob("*.log") if rotate(p))
