"""What several tests look at."""

from __future__ import annotations

import urllib.error
import urllib.request


def is_up(url: str) -> bool:
    """Whether a mock answers there."""
    try:
        with urllib.request.urlopen(f"{url}/_sim/health") as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False
