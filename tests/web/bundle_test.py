"""The script of pages that is kept is what its sources and the lockfile give."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WEB = os.path.join(os.environ["SPARSECAST_SOURCE"], "cli/html/web")
MISSING = 77


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Bundle(unittest.TestCase):
    def test_is_what_its_sources_give(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["node", "build.mjs", os.path.join(folder, "report.js")], check=True, cwd=WEB)
            for name in ("report.js", "report.licences.txt"):
                self.assertEqual(read(folder, name), read(WEB, "dist", name),
                                 f"{name} is old: run npm ci && npm run build in cli/html/web")

    def test_names_no_registry(self):
        self.assertIsNone(re.search(r"https?://registry|\"resolved\"", read(WEB, "package-lock.json")))


if __name__ == "__main__":
    if not shutil.which("node") or not os.path.isdir(os.path.join(WEB, "node_modules")):
        print("skipped: needs node, and npm ci in cli/html/web")
        sys.exit(MISSING)
    unittest.main(verbosity=2)
