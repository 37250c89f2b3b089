"""`python -m tideover` runs the program."""

from __future__ import annotations

import os
import subprocess
import sys

from ._mock import CannotStart, program


def main() -> None:
    """Puts the program in the place of this process, as far as the system can."""
    try:
        command = [program(), *sys.argv[1:]]
        if os.name == "nt":
            sys.exit(subprocess.call(command))
        os.execvp(command[0], command)
    except (CannotStart, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
