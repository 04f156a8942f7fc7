#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the tests notice mistakes? Each slip of slips.toml is made in a worktree of its own, which is built, and the tests of
its subject run: a test must fail. Prints a line for each slip, and how many in a hundred were caught. Run by hand; no
test runs it.

The tests see the working tree as it is, with what is not committed. A slip whose old text is not in its file exactly once
is an error: slips.toml has to follow the sources.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMMON = ["--buildtype=release", "-Dintrospection=disabled", "-Doracle-tests=disabled", "-Dbenchmarks=disabled"]
# Kernels run on the host in the first one; elements see a simulated driver in the second one, which needs nvcc.
BUILDS = {
    "host": COMMON + ["-Dcuda=disabled", "-Demulation-tests=enabled"],
    "driver": COMMON + ["-Dcuda=enabled", "-Dcuda-archs=sm_90", "-Demulation-tests=disabled"],
}
PATIENCE = 10 # times the usual limits: a test that is slow on a busy machine has noticed nothing


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def run_within(seconds, command, **more):
    """As run(); None: it takes longer. Meson ends its tests when it is terminated, not when it is killed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more) as process:
        try:
            output = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            return None
    return subprocess.CompletedProcess(command, process.returncode, output)


def require(command, **more):
    done = run(command, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stdout[-4000:]}")


def read_slips(path):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    for slip in data["slip"]:
        subject = data["subjects"][slip["subject"]]
        slip["tests"] = slip.get("tests", subject["tests"])
        slip["build"] = subject["build"]
    return data["slip"]


def source_with(slip, tree):
    """The path of the slip's source, its text, and the text with the slip."""
    path = os.path.join(tree, slip["file"])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    old, new = slip["old"].strip("\n"), slip["new"].strip("\n")
    if text.count(old) != 1:
        sys.exit(f"{slip['name']}: {slip['file']} has its old text {text.count(old)} times. Adapt slips.toml.")
    return path, text, text.replace(old, new)


def reason_of(output):
    """Why the test failed, in a line: the check that failed, or how the test ended."""
    ended = re.search(r"^ *\d+/\d+ .*?(TIMEOUT|FAIL|ERROR).*", output, re.MULTILINE)
    log = output[ended.end():] if ended else ""
    check = re.search(r"^\S+\.(?:c|h|cu|cuh|cc|py):\d+:.*", log, re.MULTILINE)
    return (check or ended).group(0).strip()[:120] if ended else "fails"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Worktree:
    """A copy of the working tree, whose builds the slips share."""

    def __init__(self, folder):
        self.tree = os.path.join(folder, "tree")
        if not os.path.exists(self.tree):
            require(["git", "-C", ROOT, "worktree", "add", "--detach", self.tree, "HEAD"])
        require(["git", "-C", self.tree, "checkout", "--quiet", "--force", "--detach",
                 run(["git", "-C", ROOT, "rev-parse", "HEAD"]).stdout.strip()])
        changed = run(["git", "-C", ROOT, "ls-files", "-m", "-o", "--exclude-standard"]).stdout.split("\n")
        for name in filter(None, changed):
            if os.path.exists(os.path.join(ROOT, name)):
                os.makedirs(os.path.dirname(os.path.join(self.tree, name)), exist_ok=True)
                shutil.copy2(os.path.join(ROOT, name), os.path.join(self.tree, name))

    def remove(self):
        run(["git", "-C", ROOT, "worktree", "remove", "--force", self.tree])

    def directory(self, build):
        path = os.path.join(self.tree, "build-" + build)
        if not os.path.exists(path):
            require(["meson", "setup", path, self.tree] + BUILDS[build])
        return path

    def require_tests(self, build, tests):
        """Ends the program where BUILD has not all TESTS: Meson takes a test that it does not know for one that passes."""
        known = run(["meson", "introspect", "--tests", self.directory(build)])
        missing = set(tests) - {test["name"] for test in json.loads(known.stdout)}
        if missing:
            sys.exit(f"The build {build} has no {', '.join(sorted(missing))}. Adapt slips.toml.")

    def test(self, build, tests, jobs, seconds):
        """None: all tests pass. Otherwise what failed, in a few words."""
        directory = self.directory(build)
        environment = dict(os.environ, NINJAFLAGS=f"-j{jobs}")
        environment["GST_REGISTRY"] = os.path.join(directory, "registry.bin")
        environment["CK_TIMEOUT_MULTIPLIER"] = str(PATIENCE)
        for test in tests: # so that the first failure ends it; Meson builds what the test needs
            done = run_within(seconds, ["meson", "test", "-C", directory, f"--num-processes={jobs}", "--print-errorlogs",
                                        f"--timeout-multiplier={PATIENCE}", test], env=environment)
            if not done:
                return f"{test}: does not end"
            if "ninja: build stopped" in done.stdout or "Could not rebuild" in done.stdout:
                return "does not compile: " + (re.findall(r"error: .*", done.stdout) or ["?"])[0]
            if re.search(r"^Skipped: +[1-9]", done.stdout, re.MULTILINE):
                sys.exit(f"{test} is skipped here:\n{done.stdout[-2000:]}")
            if done.returncode != 0:
                return f"{test}: {reason_of(done.stdout)}"
        return None


def check_slips(worktree, slips, options):
    alive, broken = [], []
    for slip in slips:
        path, text, mutant = source_with(slip, worktree.tree)
        write(path, mutant)
        begun = time.monotonic()
        caught = worktree.test(slip["build"], slip["tests"], options.jobs, options.seconds)
        write(path, text)
        verdict = "caught"
        if caught is None:
            verdict = "ALIVE"
            alive.append(slip)
        elif caught.startswith("does not compile"):
            verdict = "BROKEN"
            broken.append(slip)
        print(f"{verdict:6}  {slip['name']:30} {time.monotonic() - begun:5.0f} s  "
              f"{caught or 'all of ' + ', '.join(slip['tests'])}", flush=True)
    return alive, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pattern", nargs="?", default="", help="take slips whose name matches")
    parser.add_argument("--slips", default=os.path.join(HERE, "slips.toml"), help="another list of slips")
    parser.add_argument("--build", choices=BUILDS, help="take slips of this build only")
    parser.add_argument("--folder", help="keep worktree and builds there, and use them again")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a slip first")
    parser.add_argument("--list", action="store_true", help="list the slips, and check that their old text is there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the compiler and the tests")
    parser.add_argument("--seconds", type=int, default=900, help="that a test may take with what it has to build")
    options = parser.parse_args()
    slips = [slip for slip in read_slips(options.slips)
             if re.search(options.pattern, slip["name"]) and options.build in (None, slip["build"])]
    if not slips:
        sys.exit("No slip matches.")
    for slip in slips:
        source_with(slip, ROOT)
        if options.list:
            print(f"{slip['name']:34} {slip['build']:6}  {slip['file']}")
    if options.list:
        return 0
    folder = options.folder or tempfile.mkdtemp(prefix="mutation-")
    worktree = Worktree(folder)
    try:
        for build in sorted({slip["build"] for slip in slips}):
            worktree.require_tests(build, [test for slip in slips if slip["build"] == build for test in slip["tests"]])
        for build, test in sorted({(slip["build"], test) for slip in slips for test in slip["tests"]}):
            failed = None if options.trust else worktree.test(build, [test], options.jobs, 4 * options.seconds)
            if failed:
                sys.exit(f"Without a slip: {failed}")
        alive, broken = check_slips(worktree, slips, options)
    finally:
        if not options.folder:
            worktree.remove()
            shutil.rmtree(folder, ignore_errors=True)
    count = len(slips) - len(broken)
    print(f"{count - len(alive)} of {count} caught: {100 * (count - len(alive)) / max(count, 1):.1f} %")
    return 1 if alive or broken else 0


if __name__ == "__main__":
    sys.exit(main())
