# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples' own build lines, "cc NAME.c $(pkg-config ...)", outside of this project: against the build folder as it is,
and against what is installed from it. Arguments: compiler, build folder, Meson, the test of embed, examples."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

compiler, build, meson, test_embed, *examples = sys.argv[1:]
if not shutil.which("pkg-config"):
    print("skipped: no pkg-config here")
    sys.exit(77)


def compile_all(folder, packages):
    """Each in FOLDER by its line, with PACKAGES first on pkg-config's path."""
    environment = os.environ | {"PKG_CONFIG_PATH": ":".join([packages, os.environ.get("PKG_CONFIG_PATH", "")])}
    for example in examples:
        source = pathlib.Path(example)
        line = re.search(r"^ \*   cc (\S+\.c) (\$\(pkg-config .*?\)(?: -lm)?)( \*/)?$", source.read_text("utf-8"), re.MULTILINE)
        assert line and line[1] == source.name, f"{example} has no build line"
        subprocess.run(f"{compiler} -Wall -Wextra -Wno-unused-parameter -Werror -o {source.stem} "
                       f"{shlex.quote(str(source))} {line[2]}",
                       shell=True, check=True, timeout=120, cwd=folder, env=environment)


def run_embed(folder, libraries, plugins):
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(libraries), "GST_PLUGIN_PATH": plugins,
                                "GST_REGISTRY": os.path.join(folder, "registry.bin")}
    status = subprocess.run([sys.executable, test_embed, os.path.join(folder, "embed")], timeout=240, check=False,
                            env=environment).returncode
    if status:
        sys.exit(status)


build = os.path.abspath(build)
with tempfile.TemporaryDirectory() as folder:
    compile_all(folder, os.path.join(build, "meson-uninstalled"))
    run_embed(folder, [os.path.join(build, part) for part in ("core", "gst/meta")],
              os.path.join(build, "gst", "elements"))

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([*shlex.split(meson), "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder],
                   check=True, timeout=120)
    # What a system's packager does not do: move the prefix to where the files are now.
    packages = list(pathlib.Path(folder).rglob("*contours-1.0.pc"))
    assert len(packages) == 2, packages
    for package in packages:
        text, times = re.subn("^prefix=", f"prefix={folder}", package.read_text("utf-8"), flags=re.MULTILINE)
        assert times == 1, text
        package.write_text(text, "utf-8")
    compile_all(folder, str(packages[0].parent))
    run_embed(folder, [str(packages[0].parent.parent)], str(packages[0].parent.parent / "gstreamer-1.0"))
