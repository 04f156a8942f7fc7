# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the folder below PREFIX in which this Python looks for overrides of PyGObject: find_overrides_dir.py PREFIX

If this Python searches no folder below PREFIX, the printed one has to be added to PYTHONPATH, without "/gi/overrides".
Exit status 1 without PyGObject."""
import os
import site
import sys


def find_packages(prefix):
    """The folder of modules: that of PyGObject itself, or another one that Python searches."""
    searched = [os.path.dirname(gi.__path__[0]), *site.getsitepackages()]
    for folder in searched:
        if os.path.commonpath([prefix, folder]) == prefix:
            return folder
    return os.path.join(prefix, "lib", "python{}.{}".format(*sys.version_info), "site-packages")


try:
    import gi
except ImportError as missing:
    sys.exit(str(missing))
print(os.path.join(find_packages(os.path.abspath(sys.argv[1])), "gi", "overrides"), end="")
