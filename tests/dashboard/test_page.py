# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page in Chromium: what it shows equals the export of the same frames; settings apply, with a password only.

Arguments: the program that generates scenes, and a folder for the screenshots, which people look at. Exit status 77 without Chromium.
"""
import asyncio
import json
import os
import sys
import tempfile

from browser import Browser, find_chromium
from dashboard import PASSWORD, Dashboard, lines_of, make_film, measure, need, skip

WIDTHS = {"phone": (390, 844), "desk": (1440, 900), "wall": (2560, 1440)}
SCHEMES = "light", "dark"
SAMPLES = 5  # different frames that are compared

SHOWN = """(() => {
  const card = document.querySelector('.camera');
  if (card.dataset.frame === '') return null;
  const text = name => card.querySelector(name).textContent;
  return [+card.dataset.frame, text('.parts-now'), text('.failed-now'), text('.area-now'), text('.about')];
})()"""

# Every text whose contrast with what lies behind it is below 4.5, or 3 where it is large.
PALE_TEXTS = """(() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length === 3 ? [...n, 1] : n; };
  const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; }
    return [255, 255, 255, 1]; };
  const pale = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let node; (node = walk.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() || e.closest('option, .picture'))
      continue;
    seen++;
    const style = getComputedStyle(e), [a, b] = [light(parse(style.color)), light(behind(e))].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700 || parseFloat(style.fontSize) >= 24;
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < (large ? 3 : 4.5))
      pale.push(`${node.data.trim()}: ${contrast.toFixed(2)}`);
  }
  return seen > 20 ? pale : [`only ${seen} texts`];
})()"""

CHART = """(() => {
  const canvas = document.querySelector('.%s canvas'), chart = Chart.getChart(canvas);
  const ink = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(v => v);
  return { ink, label: canvas.ariaLabel ?? canvas.getAttribute('aria-label'),
    data: chart.data.datasets.map(set => set.data.map(p => typeof p === 'number' ? p : p.y)) };
})()"""

PICTURE = """(() => {
  const image = document.querySelector('.picture img'), canvas = document.createElement('canvas');
  if (!image.naturalWidth) return null;
  canvas.width = 64; canvas.height = 36;
  canvas.getContext('2d').drawImage(image, 0, 0, 64, 36);
  return canvas.toDataURL();
})()"""

CONTROLS = {"button", "textbox", "combobox", "spinbutton", "checkbox", "link", "image"}


def fails(part, holes=(1, 2), most=None):
    return not holes[0] <= part[1] <= holes[1] or (most is not None and part[0] > most)


async def compare_frames(page, lines, verdict=fails, about=""):
    """Frames that the page shows have the numbers of the export; ABOUT is in the line above the picture."""
    seen = {}
    await page.until(f"document.querySelector('.about').textContent.includes({about!r})")
    await asyncio.sleep(0.6)  # what was on its way with the settings before
    while len(seen) < SAMPLES:
        frame, *texts = await page.until(SHOWN)
        parts = measure(lines[frame])
        failed = sum(map(verdict, parts))
        area = f"{sum(area for area, _ in parts):,.1f}".removesuffix(".0")
        wanted = [str(len(parts)), str(failed), area]
        assert texts[:3] == wanted, (frame, texts, wanted)
        assert about in texts[3], texts
        seen[frame] = texts
        await asyncio.sleep(0.15)
    print(f"{len(seen)} frames as exported, {about or 'at first'}: {seen}")
    return seen


async def check_charts(page):
    over_time = await page.run(CHART % "over-time")
    assert over_time["ink"] and over_time["data"][0] and all(0 <= rate <= 100 for rate in over_time["data"][0]), over_time
    assert over_time["label"].startswith("Pass rate of the last 5 minutes: "), over_time
    distribution = await page.run(CHART % "distribution")
    passed, failed = map(sum, distribution["data"])
    assert distribution["ink"] and passed > 0 and failed > 0, distribution
    assert distribution["label"].startswith("Distribution of area"), distribution
    await page.run("document.querySelectorAll('.chart details').forEach(e => { e.open = true; })")
    for name in "over-time", "distribution":
        await page.until(f"document.querySelectorAll('.{name} tbody tr').length > 0")
    # A measure that nobody asked for before is computed from now on.
    await page.run("(() => { const s = document.querySelector('.measure'); s.value = 'circularity'; s.dispatchEvent(new Event('change')); })()")
    await page.until("Chart.getChart(document.querySelector('.distribution canvas')).data.labels.some(label => label.startsWith('0.'))")
    await page.run("document.querySelectorAll('.chart details').forEach(e => { e.open = false; })")


async def check_pictures(page):
    first = await page.until(PICTURE)
    await page.until(f"(({PICTURE}) ?? {json.dumps(first)}) !== {json.dumps(first)}")
    await page.until("document.querySelector('.failures img')?.naturalWidth > 20")
    reasons = await page.run("[...document.querySelectorAll('.failures strong')].map(e => e.textContent)")
    assert reasons and set(reasons) == {"holes below 1"}, reasons
    await page.click(".pause")
    await page.until("document.querySelector('.picture img').src.includes('.jpg')")
    still = await page.run("document.querySelector('.picture img').src")
    await page.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert await page.run("document.querySelector('.picture img').src") == still, "a paused picture changes"
    await page.click(".pause")
    await page.until("document.querySelector('.picture img').src.endsWith('.mjpeg')")


async def check_looks(page, folder):
    """Screenshots of all widths, light and dark; nothing is wider than the screen or too pale, every control has a name."""
    await page.run("document.querySelectorAll('.camera > details').forEach(e => { e.open = true; })")
    for width, size in WIDTHS.items():
        for scheme in SCHEMES:
            await page.resize(*size)
            await page.prefer(color_scheme=scheme, reduced_motion="no-preference")
            await page.until("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 600)))")
            assert await page.run("document.documentElement.scrollWidth <= innerWidth"), (width, "scrolls sideways")
            pale = await page.run(PALE_TEXTS)
            assert not pale, (width, scheme, pale)
            await page.screenshot(os.path.join(folder, f"{width}-{scheme}.png"))
    nodes = (await page.call("Accessibility.getFullAXTree"))["nodes"]
    controls = [(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes
                if not node["ignored"] and node["role"]["value"] in CONTROLS]
    assert len(controls) > 10 and all(name for _, name in controls), controls
    await page.resize(*WIDTHS["desk"])
    await page.run("document.querySelector('.parts').open = false")


async def log_in(page):
    await page.click("#open-login")
    await page.type("#password", "wrong password")
    await page.key("Enter", 13)
    await page.until("document.querySelector('#login-problem').textContent === 'The password is wrong.'")
    assert await page.run("document.querySelector('.forms').hidden")
    await page.type("#password", PASSWORD)
    await page.key("Enter", 13)
    await page.until("!document.querySelector('.forms').hidden && !document.querySelector('#log-out').hidden")
    assert await page.run("document.cookie") == "", "scripts can read the session"


async def submit(page, form):
    """Sends a form with the keyboard and returns the answer."""
    await page.run("document.querySelector('.answer').textContent = ''")
    await page.run(f"document.querySelector('form.{form} [type=submit]').focus()")
    await page.key("Enter", 13)
    return await page.until("document.querySelector('.answer').textContent")


async def check_settings(page, film):
    await page.run("(() => { document.querySelector('.threshold [name=mode]').value = 'fixed'; })()")
    await page.type(".threshold [name=threshold]", "150")
    assert await submit(page, "threshold") == "The change applies."
    await compare_frames(page, lines_of(film, "threshold=150"), about="threshold 150")

    await page.click("button.draw")
    left, top, width, height = await page.run("(() => { const r = document.querySelector('.regions'); r.scrollIntoView({ block: 'center' });"
                                              " const b = r.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")
    await page.drag((left + width * 0.1, top + height * 0.5), (left + width * 0.9, top + height * 0.95))
    drawn = await page.run("['x', 'y', 'width', 'height'].map(name => +document.querySelector(`.region [name=${name}]`).value)")
    assert all(abs(a - b) <= 1 for a, b in zip(drawn, (48, 135, 384, 122))), drawn
    assert await page.run("document.querySelectorAll('.regions .drawn').length") == 1
    assert await submit(page, "region") == "The change applies."
    region = ",".join(map(str, drawn))
    await page.until(f"document.querySelector('.settings .summary').textContent.includes('region {region}')")
    assert await page.run("document.querySelectorAll('.regions .active').length") == 1
    inside = await compare_frames(page, lines_of(film, f"threshold=150 region={region}"))
    whole = lines_of(film, "threshold=150")
    assert all(int(texts[0]) < len(measure(whole[frame])) for frame, texts in inside.items()), "the region makes no difference"

    await page.type(".region [name=width]", "5000")
    answer = await submit(page, "region")
    assert "reaches outside of the frame of 480 x 270 pixels" in answer, answer
    await page.run("document.querySelector('.whole').click()")
    await page.until("document.querySelector('.settings .summary').textContent.includes('whole frame')")

    await page.click("button.add")
    await page.run("document.querySelector('.limits li:last-child [name=name]').value = 'area'")
    await page.type(".limits li:last-child [name=high]", "2000")
    assert await submit(page, "limits") == "The change applies."
    await compare_frames(page, whole, lambda part: fails(part, most=2000))


async def check_read_only(page, film):
    with Dashboard(film, "--holes=1:2") as dashboard:
        await page.open(dashboard.url)
        await page.until("document.querySelector('.parts-now')?.textContent > 0", 60)
        assert await page.run("!document.querySelector('#read-only').hidden && document.querySelector('#open-login').hidden"
                              " && document.querySelector('.forms').hidden")
        for path, body in ("api/camera/0/settings", {"threshold": 3}), ("api/login", {"password": ""}):
            status = await page.run(f"fetch('{path}', {{ method: 'POST', body: JSON.stringify({json.dumps(body)}) }}).then(r => r.status)")
            assert status == 403, (path, status)


async def check_restart(page, film):
    """A page that stays open when the server ends shows the next run: its picture, its cameras, its failures."""
    with Dashboard(film, film, "--holes=1:2") as dashboard:
        await page.open(dashboard.url)
        await page.until("document.querySelectorAll('.failures strong').length > 0", 60)
        await page.until(PICTURE)
    await page.until("document.querySelector('#connection').textContent === 'No connection'")
    with Dashboard(film, "--area=:10", f"--port={dashboard.url.split(':')[2].strip('/')}"):
        await page.until("document.querySelector('#connection').textContent === 'Live'", 60)
        await page.until("document.querySelectorAll('article').length === 1")
        await page.until("document.querySelectorAll('.failures strong').length > 0", 60)
        reasons = await page.run("[...document.querySelectorAll('.failures strong')].map(e => e.textContent)")
        assert set(reasons) == {"area above 10"}, reasons
        for _ in range(3):
            shown = await page.until(PICTURE)
            await page.until(f"(({PICTURE}) ?? {json.dumps(shown)}) !== {json.dumps(shown)}")


async def check_page(page, film, pictures):
    with Dashboard(film, film, "--holes=1:2", "--title=Line 3", password=PASSWORD) as dashboard:
        await page.open(dashboard.url)
        await page.until("[...document.querySelectorAll('.parts-now')].filter(e => e.textContent > 0).length === 2", 60)
        names = await page.run("[...document.querySelectorAll('h2')].map(e => e.textContent)")
        assert {"parts.avi 1", "parts.avi 2"} <= set(names) and await page.run("document.title") == "Line 3", names
        await compare_frames(page, lines_of(film))
        await check_pictures(page)
        await check_charts(page)
        await log_in(page)
        await check_looks(page, pictures)
        await check_settings(page, film)
        await page.click("#log-out")
        await page.until("document.querySelector('.forms').hidden")
        # The wrong password and the wrong region; a picture may be gone when a page asks for it.
        problems = [problem for problem in page.problems if "404" not in problem or "/failure/" not in problem]
        assert ["403" in problems[0], "400" in problems[1], len(problems)] == [True, True, 2], page.problems


async def check(folder, film, pictures):
    async with Browser(folder) as page:
        await page.resize(*WIDTHS["desk"])
        await check_page(page, film, pictures)
        await check_read_only(page, film)
        await check_restart(page, film)


def main(scene, pictures):
    need("aiohttp", "gi")
    if not find_chromium():
        skip("no chromium here")
    os.makedirs(pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        film = os.path.join(folder, "parts.avi")
        make_film(film, scene)
        asyncio.run(check(folder, film, pictures))


if __name__ == "__main__":
    main(*sys.argv[1:])
