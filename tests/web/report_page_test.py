"""The page of `sparsecast report`, opened in a browser."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import browser

PROGRAM = os.environ["SPARSECAST_PROGRAM"]
DOWN, HOME, END, ESCAPE = "\ue015", "\ue011", "\ue010", "\ue00c"
HOSTILE = '"><img src=x onerror="window.ran=1"><script>window.ran=1<&script>.mtx'.replace("&", "\u2028")


def sparsecast(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.box = os.path.join(cls.folder.name, "box.mtx")
        cls.hostile = os.path.join(cls.folder.name, HOSTILE)
        for file, size in ((cls.box, 20), (cls.hostile, 5)):
            sparsecast("generate", "laplacian", "--points", 27, "--size", size, "--out", file)
        cls.page = os.path.join(cls.folder.name, "report.html")
        sparsecast("report", cls.box, cls.hostile, "--profile", "nvidia-h200", "--profile", "nvidia-h100",
                   "--profile", "amd-epyc-zen4-2cores", "--out", cls.page)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.emulate("Emulation.clearDeviceMetricsOverride")
        self.browser.emulate("Emulation.setEmulatedMedia", features=[])
        self.browser.console()
        self.browser.open(self.page)

    def test_draws_every_chart(self):
        drawn = self.browser.run(
            "return [...document.querySelectorAll('figure.chart')].map(figure => ["
            "JSON.parse(figure.querySelector('script').textContent).kind,"
            "figure.querySelectorAll('.plot svg rect, .plot svg circle').length])")
        self.assertEqual({kind for kind, _ in drawn}, {"bars", "columns", "lines", "map", "stacked"})
        for kind, marks in drawn:
            self.assertGreater(marks, 0, kind)

    def test_labels_the_lines_of_the_map(self):
        labels = self.browser.run(
            "const map = [...document.querySelectorAll('figure.chart')].find(figure => "
            "JSON.parse(figure.querySelector('script').textContent).kind === 'map');"
            "return [[...map.querySelectorAll('.plot svg text')].map(each => each.textContent),"
            "map.querySelectorAll('.plot svg [aria-label=contour] path').length]")
        self.assertIn("2 x", labels[0])
        self.assertGreater(labels[1], 3)

    def test_draws_the_interval_of_a_device_of_one_number(self):
        bars = self.browser.run(
            "const lines = [...document.querySelectorAll('figure.chart')].find(figure => "
            "JSON.parse(figure.querySelector('script').textContent).kind === 'lines');"
            "const alone = JSON.parse(lines.querySelector('script').textContent).series"
            ".filter(series => series.points.filter(point => point.low != null).length === 1);"
            "return [lines.querySelectorAll('.plot svg [aria-label=rule] line').length, alone.length]")
        self.assertGreater(bars[1], 0)
        self.assertEqual(bars[0], bars[1])

    def test_says_nothing_on_the_console(self):
        self.assertEqual(self.browser.console(), [])

    def test_runs_nothing_that_names_hold(self):
        self.assertIsNone(self.browser.run("return window.ran ?? null"))
        self.assertEqual(len(self.browser.find("img")), 2)
        title = self.browser.run("return document.querySelector('#matrix-2').textContent")
        self.assertEqual(title, HOSTILE)

    def test_refuses_scripts_that_are_not_its_own(self):
        self.browser.run("const script = document.createElement('script');"
                         "script.textContent = 'window.ran = 1'; document.body.append(script)")
        self.assertIsNone(self.browser.run("return window.ran ?? null"))
        self.assertIn("Content Security Policy", self.browser.console()[0])

    def test_shows_beside_the_pointer_what_a_mark_says(self):
        x, y = self.browser.run(
            "const bar = document.querySelector('figure.chart .plot svg [aria-label=bar] rect');"
            "bar.scrollIntoView({block: 'center'});"
            "const box = bar.getBoundingClientRect(); return [box.x + box.width / 2, box.y + 2]")
        self.browser.point_at(x, y)
        shown = self.browser.run("return [...document.querySelectorAll('.tooltip')]"
                                 ".filter(each => !each.hidden).map(each => each.textContent)")
        first = self.browser.run(
            "return JSON.parse(document.querySelector('figure.chart script').textContent).columns[0].text")
        self.assertEqual(shown, [first])

    def test_goes_from_mark_to_mark_by_keys(self):
        figure = self.browser.run(
            "return [...document.querySelectorAll('figure.chart')]"
            ".findIndex(each => each.querySelector('script').textContent.includes('\"bars\"'))")
        plot = self.browser.find("figure.chart .plot")[figure]
        texts = [bar["text"] for bar in json.loads(self.browser.run(
            "return document.querySelectorAll('figure.chart script')[arguments[0]].textContent", figure))["bars"]]

        def said(keys):
            self.browser.press(plot, keys)
            return self.browser.run(
                "const plot = document.querySelectorAll('figure.chart .plot')[arguments[0]];"
                "const tooltip = plot.querySelector('.tooltip');"
                "return [tooltip.hidden, tooltip.textContent, plot.querySelector('[aria-live]').textContent]", figure)

        self.assertEqual(said(DOWN), [False, texts[0], texts[0]])
        self.assertEqual(said(DOWN), [False, texts[1], texts[1]])
        self.assertEqual(said(END), [False, texts[-1], texts[-1]])
        self.assertEqual(said(HOME), [False, texts[0], texts[0]])
        self.assertTrue(said(ESCAPE)[0])

    def test_is_dark_where_that_is_preferred(self):
        colours = "const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]"
        light = self.browser.run(colours)
        self.browser.emulate("Emulation.setEmulatedMedia",
                             features=[{"name": "prefers-color-scheme", "value": "dark"}])
        dark = self.browser.run(colours)
        self.assertEqual(light[0], "rgb(255, 255, 255)")
        self.assertNotEqual(light, dark)

    def test_fits_a_telephone(self):
        self.browser.emulate("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2,
                             mobile=True)
        self.browser.open(self.page)
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        widths = self.browser.run(
            "return [...document.querySelectorAll('.plot svg')].map(each => each.getBoundingClientRect().right)")
        self.assertLessEqual(max(widths), 360)

    def test_can_be_printed(self):
        self.assertTrue(self.browser.pdf().startswith(b"%PDF-"))

    def test_is_smaller_than_two_megabytes(self):
        self.assertLess(os.path.getsize(self.page), 2_000_000)

    def test_has_its_tables_where_no_script_runs(self):
        with browser.Browser(scripts=False) as without:
            without.open(self.page)
            tables = [without.text(table) for table in without.find("figure.chart table")]
            self.assertEqual(len(tables), len(without.find("figure.chart")))
            self.assertTrue(all(tables))


if __name__ == "__main__":
    if browser.missing():
        print("skipped: not installed:", browser.missing())
        sys.exit(browser.MISSING)
    unittest.main(verbosity=2)
