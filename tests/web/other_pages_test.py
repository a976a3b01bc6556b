"""The pages of `validate --html` and `calibrate --html`, opened in a browser."""

import os
import subprocess
import sys
import tempfile
import unittest

import browser

PROGRAM = os.environ["SPARSECAST_PROGRAM"]
SOURCE = os.environ["SPARSECAST_SOURCE"]


class OtherPages(unittest.TestCase):
    def drawn_by(self, *arguments):
        """The kinds of charts on the page of a command, each with its number of marks and the numbers
        of its axis at the left."""
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
            page = os.path.join(folder, "page.html")
            subprocess.run([PROGRAM, *arguments, "--html", page], check=True, cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertLess(os.path.getsize(page), 2_000_000)
            window.open(page)
            self.assertEqual(window.console(), [])
            return window.run(
                "return [...document.querySelectorAll('figure.chart')].map(figure => ["
                "JSON.parse(figure.querySelector('script').textContent).kind,"
                "figure.querySelectorAll('.plot svg circle').length,"
                "[...figure.querySelectorAll('.plot svg [aria-label=\"y-axis tick label\"] text')]"
                ".map(text => text.textContent)])")

    def test_draw_what_was_measured_beside_forecasts(self):
        drawn = self.drawn_by("validate", "--from", os.path.join(SOURCE, "docs/validation/nvidia-h200-dia.csv.gz"))
        self.assertEqual([kind for kind, _, _ in drawn], ["scatter", "scatter"])
        self.assertGreater(min(marks for _, marks, _ in drawn), 100)
        for _, _, numbers in drawn:
            self.assertGreaterEqual(len(numbers), 3)
        self.assertIn("1", drawn[1][2])

    def test_draw_the_residuals_of_a_fit(self):
        drawn = self.drawn_by("calibrate", "--refit",
                              os.path.join(SOURCE, "profiles/amd-epyc-zen4-2cores.samples.csv.gz"),
                              "--out", "again.json")
        self.assertEqual([kind for kind, _, _ in drawn], ["scatter"] * 4)
        self.assertGreater(min(marks for _, marks, _ in drawn), 100)


if __name__ == "__main__":
    if browser.missing():
        print("skipped: not installed:", browser.missing())
        sys.exit(browser.MISSING)
    unittest.main(verbosity=2)
