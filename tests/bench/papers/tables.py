# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/benchmarks/papers.md from the rows of a run."""
import re

import published
from harness import number

NONE = "–"
ALGORITHMS = list(published.COMPONENTS["throughput"]) + ["ours, CUDA"]


class Values:
    """The values of a run by case, implementation and metric."""

    def __init__(self, rows):
        self.rows = rows
        self.by_key = {(row["case"], row["implementation"], row["metric"]): float(row["value"]) for row in rows}

    def get(self, case, who, metric="time, median"):
        return self.by_key.get((case, who, metric))

    def cases(self, start):
        return list(dict.fromkeys(row["case"] for row in self.rows if row["case"].startswith(start)))

    def matching(self, case, pattern, metric="time, median"):
        """(implementation, value) of the fastest implementation that matches PATTERN, or None."""
        found = [(value, who) for (its_case, who, its_metric), value in self.by_key.items()
                 if its_case == case and its_metric == metric and re.match(pattern, who)]
        return min(found)[::-1] if found else None

    def fastest(self, case, pattern):
        found = self.matching(case, pattern)
        return found and found[1]


def cell(value, scale=1.0):
    if value is None:
        return NONE
    return value if isinstance(value, str) else number(value * scale)


def exact(value):
    """A published figure, as it is printed."""
    return NONE if value is None else f"{value:.6g}"


def table(header, rows, left=1):
    lines = ["| " + " | ".join(header) + " |",
             "|" + "|".join("---" if i < left else "---:" for i in range(len(header))) + "|"]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


# Components


def throughput(values, size, granularity, who):
    for case in values.cases(f"components, {size} x {size}, g = {granularity}, mean over densities"):
        found = values.get(case, who, "throughput")
        if found is not None:
            return found
    return None


def gpix(values, size, granularity, density, who):
    us = values.get(f"components, {size} x {size}, g = {granularity}, density {density} %", who, "time, minimum")
    return us and size * size / us / 1e3


def components_table1(values):
    rows = []
    for who in ALGORITHMS:
        paper = map(exact, published.COMPONENTS["throughput"].get(who, [None] * 4))
        here = [throughput(values, 8192, g, who) for g in (1, 4, 16)] + [gpix(values, 8192, 1, 100, who)]
        rows.append([who] + [value for pair in zip(paper, here) for value in pair])
    header = ["Gpix/s"] + [text for column in published.COMPONENTS["columns"] for text in (f"{column}, A100", "here")]
    return table(header, rows)


def by_density(values, metric, granularity, who_list, scale=1.0, title="density"):
    rows = []
    for density in range(0, 101, 10):
        case = f"components, 8192 x 8192, g = {granularity}, density {density} %"
        found = [values.get(case, who, metric) for who in who_list]
        if any(value is not None for value in found):
            rows.append([f"{density} %"] + [value if value is None else value * scale for value in found])
    return table([title] + who_list, rows) if rows else "Not measured in this run."


def components_sizes(values, granularity):
    rows = []
    for size in (256, 512, 1024, 2048, 4096, 8192, 16384):
        found = [throughput(values, size, granularity, who) for who in ALGORITHMS]
        if any(value is not None for value in found):
            rows.append([f"{size} × {size}"] + found)
    return table([f"Gpix/s, g = {granularity}"] + ALGORITHMS, rows) if rows else "Not measured in this run."


def components(values):
    counted = ALGORITHMS[:-1]
    host = [throughput(values, 2048, g, "ours, host backend") for g in (1, 4, 16)]
    parts = [f"""## Components

*{published.COMPONENTS["title"]}.*

The seven baselines are `tests/bench/cca/flsl.cu` and `pixels.cu`, written from the paper's text (no code of it is public). Each must count the components that ours counts on every image, and on those of up to 1024 × 1024 at 0, 30, 60 and 90 % have the same table, row by row.
All kernels of an image run as one CUDA graph, also theirs. Times are the minimum of up to 20 runs.

**Table 1.** Mean throughput over densities from 0 to 100 % at 8192 × 8192.

{components_table1(values)}"""]
    if any(host):
        parts.append("Host backend on one core, 2048 × 2048, g = 1, 4, 16: " + ", ".join(map(cell, host)) + " Gpix/s.")
    parts.append("**Figure 7, left** (and figure 1: naive and HA, g = 1): ms at 8192 × 8192.")
    parts += [by_density(values, "time, minimum", g, ALGORITHMS, 1e-3, f"g = {g}") for g in (1, 4, 16)]
    parts.append("**Figure 7, right**: mean throughput by size; at 16384 × 16384 over 0, 50 and 100 % only.")
    parts += [components_sizes(values, granularity) for granularity in (1, 4, 16)]
    parts.append("""**Figure 5**: atomic updates of features at 8192 × 8192, g = 1. An update is that of all seven features of one label.""")
    parts.append(by_density(values, "updates", 1, counted))
    parts.append("Conflicts, by the paper's estimate Σ U² / Σ U over the labels' updates U:")
    parts.append(by_density(values, "conflicts", 1, counted))
    parts.append("""**What differs, and why.**

- Connectivity is 4: the paper does not say, but its percolation threshold of 60 % is that of 4-connected pixels.
- HA is an earlier paper's; this one describes it in a few sentences. Ours merges sub-runs of 64 pixels by the same steps as FLSL.
- With OTF the paper does not say what a run votes for first. Here it is the label of its own run, which counts as an update; every union moves features.
- The throughput of nearly empty images dominates a mean of throughputs. The tables by density say more.
- The published figures are of an A100 and cannot be compared with these; compare the columns "here" with one another.
- Ours also compacts its table, in raster order, which no baseline does. Its updates are not counted: it sums up a tile in shared memory.
- Figures 2, 3, 4 and 6 explain the algorithms and have no measurements.""")
    return "\n\n".join(parts)


# Borders


def borders(values):
    rows, sizes = [], published.BORDERS["sizes"]
    for who, figures in published.BORDERS["tables"].items():
        rows += [[f"{who}: {phase}", *map(exact, times)] for phase, times in figures.items()]
    names = ["car_body_frame", "board", "blobs"]
    measured = [case for name in names for case in values.cases(f"borders, {name} ")]
    ours = []
    for case in measured:
        ours.append([case.removeprefix("borders, "), values.get(case, "ours", "contours"), ms(values, case, "ours, CUDA$"),
                     ms(values, case, "ours, CUDA, image in host memory"), ms(values, case, "ours, host backend"),
                     ms(values, case, "OpenCV"), ms(values, case, "NPP")])
    return f"""## Borders

*{published.BORDERS["title"]}.*

**Tables 1 and 2**, as published: ms, means over 19 images.

{table(["ms"] + [f"{w} × {h}" for w, h in sizes], rows)}

**Here**: ms. Every implementation of OpenCV must find the same contours, point for point; the fastest counts.

{table(["image", "contours", "ours, CUDA", "ours, image in host memory", "host backend", "OpenCV", "NPP"], ours) if ours else "Not measured in this run."}

**Table 5**, upload / download of the image, ms, RTX 5000: {", ".join(published.BORDERS["transfers"])}. Here the difference of the two columns
of ours contains upload and download of table and points.

{phase_table(values, "borders")}

**What differs, and why.**

- Of the 19 images one is public: *car_body_frame*, the test image of the paper's code (CC BY 4.0, as the paper). Enlarged, every pixel is
  repeated; the paper resizes with MATLAB. The other images here come from `tests/bench/common/outlines.c`, the same on every machine. So the
  images of table 4, with 1 to 163 borders, are not repeated.
- Our phases are other ones: kernels make bits and passages of tiles, link segments, rank them, and write points (see the kernels above).
- Table 3 varies the number of rectangles, one thread each. Ours has tiles of 64 × 64 pixels, a CTA each, at every size.
- The paper's time ends with a set of borders in no order; ours with OpenCV's order."""


def ms(values, case, pattern):
    found = values.fastest(case, pattern)
    return None if found is None else found * 1e-3


# Level contours


def cracks_case(values, start):
    found = values.cases(f"cracks, {start} 2048 x 768")
    return found[0] if found else None


def crack_columns(values, case):
    return [ms(values, case, "ours, CUDA$"), ms(values, case, "ours, host backend"), ms(values, case, "OpenCV"),
            case and values.get(case, "ours", "contours")]


def cracks(values):
    header = ["MCC*", "ours, CUDA", "host backend", "OpenCV", "contours, paper", "contours, here"]
    binary, grey = [], []
    for kind, sizes in published.CRACKS["binary"].items():
        for size, figures in sizes.items():
            here = crack_columns(values, cracks_case(values, f"{kind} {size}"))
            binary.append([f"{kind} {size}", exact(figures[2]), exact(figures[4])] + here[:3] + [exact(figures[5]), here[3]])
    for levels, sizes in published.CRACKS["chequers"].items():
        for size, figures in sizes.items():
            here = crack_columns(values, cracks_case(values, f"grey chequers {size}, {levels} values"))
            grey.append([f"{levels} values, {size}", exact(figures[0]), exact(figures[2])] + here[:3] + [exact(figures[3]), here[3]])
    maps = [[name] + [exact(figure) for figure in figures] for name, figures in published.CRACKS["disparity"].items()]
    here = crack_columns(values, cracks_case(values, "disparity"))
    ours = [["ours, CUDA", here[3], NONE, NONE, NONE, here[0]], ["ours, host backend", here[3], NONE, NONE, NONE, here[1]],
            ["OpenCV, level by level", here[3], NONE, NONE, NONE, here[2]]]
    motorcycle = []
    for case in values.cases("cracks, motorcycle_disp8"):
        motorcycle.append([case.removeprefix("cracks, ")] + crack_columns(values, case))
    real = ("\n\nA real disparity map:\n\n" + table(["ms", "ours, CUDA", "host backend", "OpenCV", "contours"], motorcycle)
            if motorcycle else "")
    return f"""## Contours of levels

*{published.CRACKS["title"]}.* The paper's GPU is a {published.CRACKS["gpu"]}, its CPU an Intel Core i7 of 3.07 GHz. Times are ms. MCC* is the
paper's algorithm with skip lists; CPCC is OpenCV's contours of its time, here with the points at corners.

**Table 3**, disparity maps of 2048 × 768 pixels, levels 1 to 127.

{table(["method", "contours", "threshold", "cracks", "contour", "total"], maps + ours)}{real}

{phase_table(values, "cracks")}

**Table 2**, grey chequerboards of 2048 × 768.

{table(["squares", "CPCC"] + header, grey)}

**Table 4**, binary images of 2048 × 768.

{table(["image", "CPCC"] + header, binary)}

**What differs, and why.**

- The paper's disparity maps are not public. *disparity* is drawn by `tests/bench/cracks/levels.c`: twice as many contours, so more work. *motorcycle* is
  Middlebury 2014's, free for research if it is cited, as scikit-image ships it.
- The paper does not say how its grey chequerboards are made: with ours the numbers of contours differ. Those of the binary images must be equal.
- Ours also nests the contours, and delivers them in order. The phases of the paper (thresholds, cracks, contours) have no counterpart: one kernel
  counts the corners of all levels, others sort, link and rank them.
- Table 6 of the text is not printed in the paper."""


# Edges


def canny(values):
    rows, blur = [], []
    for name, (size, cpu, gpu, _) in published.CANNY["images"].items():
        case = f"canny, {size[0]} x {size[1]} RGB, sigma 2, L2"
        rows.append([f"{name}, {size[0]} × {size[1]}", exact(1e3 * cpu), exact(1e3 * gpu), ms(values, case, "ours, CUDA$"),
                     ms(values, case, "ours, CUDA, image in host memory"), ms(values, case, "ours, host backend, 1 "),
                     ms(values, case, "ours, host backend"), ms(values, case, "OpenCV")])
    for sigma, (naive, separable) in published.CANNY["blur"].items():
        here = ms(values, f"canny, 4444 x 3136 RGB, sigma {sigma}, L2", "ours, CUDA$")
        without = ms(values, "canny, 4444 x 3136 RGB, sigma 0, L2", "ours, CUDA$")
        blur.append([f"σ = {sigma}", exact(1e3 * naive), exact(1e3 * separable), here,
                     here - without if here is not None and without is not None else None])
    kernels = [[name, *(exact(1e3 * seconds) for seconds in figures[3])] for name, figures in published.CANNY["images"].items()]
    grey = "canny, 4444 x 3136 grey, sigma 2, L2"
    peers = []
    for who in dict.fromkeys(row["implementation"] for row in values.rows if row["case"] == grey):
        if values.get(grey, who) is not None:
            peers.append([who, values.get(grey, who) * 1e-3, values.get(grey, who, "pixels that differ from ours")])
    for who in ("cv::cuda::Canny", "cuCIM canny", "NPP"):
        if not any(row[0].startswith(who) for row in peers):
            peers.append([who, "not available here", NONE])
    return f"""## Edges

*{published.CANNY["title"]}.* σ = 2, L2 gradient, RGB. Times are ms. The paper's overall times are longer than its kernels together.

**Tables 1, 2, 4 and 5**, overall.

{table(["picture of the paper, size", "paper's CPU", "paper's GPU", "ours, CUDA", "ours, image in host memory", "host backend, 1 thread",
        "host backend, fastest", "OpenCV"], rows)}

**Tables 2 and 5**, the paper's kernels; hysteresis is five passes.

{table(["picture"] + published.CANNY["kernels"], kernels)}

{phase_table(values, "canny")}

**Table 6**, the blur of *lizard*: the paper's alone; ours as all of Canny, and what it takes more than without blur.

{table(["", "naive", "separable", "ours, all", "ours, the blur's part"], blur)}

**Peers** at 4444 × 3136 in grey:

{table(["implementation", "ms", "% of pixels that differ from ours"], peers)}

**What differs, and why.**

- The paper's pictures are *lizard* (Babujayan, CC BY 3.0) and *skyline* (Kristoffer Trolle, CC BY 2.0), both of Wikimedia Commons, and *rocks* and *moon*, of
  web pages without a licence. Here *scene*, drawn by `tests/bench/canny/scenes.c`, has their sizes: the work on edges is not the same.
- The paper's thresholds are 0.2 and 0.4; ours are 50 and 150 sample units a pixel.
- Its hysteresis ends after five passes and so is not exact (table 7: 97 to 99 % of pixels match its CPU version). Ours equals OpenCV's edges,
  pixel for pixel. So tables 3 and 7, its unoptimised kernels and their errors, have no counterpart.
- A missing peer is one that the machine does not have: OpenCV's packages for Python have no CUDA."""


# Snakes


def snake(values):
    rows = []
    for megapixels, (side, cpu, gpu) in published.SNAKE["table"].items():
        rows.append([f"{megapixels} MP, 16 bits, paper", *(exact(1e3 * t) for t in (cpu[0], gpu[0], gpu[1], gpu[2])), NONE, NONE])
        for bits in (8, 16):
            case = f"snake, {side} x {side}, {bits} bits"
            rows.append([f"{side} × {side}, {bits} bits, ours", ms(values, case, "ours, host backend"),
                         ms(values, case, "ours, CUDA$"), *snake_phases(values, side, bits),
                         values.get(case, "ours", "iterations"), values.get(case, "ours", "IoU")])
    return f"""## Region snakes

*{published.SNAKE["title"]}.* Times are ms: the paper's on a Xeon E5530 and a C2050.

**Table 1.**

{table(["image", "CPU", "GPU, total", "pre-computations", "segmentation", "iterations", "IoU"], rows)}

{phase_table(values, "snake")}

**What differs, and why.**

- The paper's images are not public: noisy photos of 16 bits. Ours are a noisy blob of 0.38 of the image's side (`tests/core/snake/scenes.c`), so the truth
  is known.
- The paper does not say whether its total contains the transfer of the image; ours has it in GPU memory. The phases of ours come from CUPTI and exist for one size: the
  tables of sums are its pre-computations, all else is segmentation.
- The host backend takes one core, the paper's CPU version SSE. Ours moves all points at once, where the paper moves even and odd points by turns.
- Figures 1 and 3 to 9 explain the algorithm; figure 2 profiles the paper's CPU version."""


def snake_phases(values, side, bits):
    """Pre-computations and segmentation, ms, from the kernels of that size."""
    before = after = 0.0
    for case in values.cases(f"phases, snake, blob, {bits} bits, {side} x {side}"):
        for (its_case, _, metric), us in values.by_key.items():
            if its_case == case and metric.startswith("kernel"):
                if re.search("table|band", metric.split(" ", 2)[2]):
                    before += us
                else:
                    after += us
    return [before * 1e-3 or None, after * 1e-3 or None]


# Phases and memory


def phase_table(values, algorithm):
    parts = []
    for case in values.cases(f"phases, {algorithm},"):
        kernels = sorted((metric, us) for (its_case, _, metric), us in values.by_key.items()
                         if its_case == case and metric.startswith("kernel"))
        if kernels:
            rows = [[f"`{metric.split(' ', 2)[2]}`", us] for metric, us in kernels]
            parts.append(f"Our kernels, {case.removeprefix(f'phases, {algorithm}, ')}, µs a frame as CUPTI reports them (CUPTI makes them "
                         f"longer, and they overlap):\n\n" + table(["kernel", "µs"], rows))
    return "\n\n".join(parts) or "Our kernels were not measured in this run."


def memory(values):
    rows = []
    for case in values.cases("phases, "):
        elements = [(metric, value) for (its_case, _, metric), value in values.by_key.items()
                    if its_case == case and metric.startswith("elements")]
        if values.get(case, "ours, CUDA", "memory") is None:
            continue
        total = values.get(case, "ours, CUDA", "memory")
        count = elements[0][1] if elements else None
        rows.append([case.removeprefix("phases, "), total / 2**20, total_per(total, case), count,
                     elements[0][0].removeprefix("elements: ") if elements else NONE, total / count if count else None])
    ours = table(["algorithm, frame", "MiB", "bytes a pixel", "elements", "of what", "bytes an element"], rows) if rows else \
        "Not measured in this run."
    return f"""## Memory

On the GPU, of an algorithm's object and its results after a few frames, without the frame (`cudaMemGetInfo`, in steps of 2 MiB).

{ours}

The papers: the snake's structures take {published.SNAKE["bytes_per_pixel"]} bytes a pixel and about 50 MB, which limits its images to 150 megapixels. The border paper keeps a vector of
triads for every thread in global memory, "quite large", without a figure; the level-contour paper a pre-allocated block of line segments likewise. The
component and edge papers give no figure; the FLSL baselines here take 24 bytes a pixel for labels and features, naive and HA 44."""


def total_per(total, case):
    width, height = re.search(r"(\d+) x (\d+)$", case).groups()
    return total / (int(width) * int(height))


HEAD = """# The papers' tables and figures, repeated

[`tests/bench/papers.py`](../../tests/bench/papers.py) measures and writes this page. {source} Published figures are those of
the papers, on their machines. All others are of one machine and one run, peers included ([protocol](protocol.md)). "–" is what a paper does not give, or what this run did not measure.

```sh
tests/bench/papers.py build/tests/bench --csv papers.csv --markdown papers.md      # four minutes
tests/bench/papers.py --tables papers.csv                                          # the page of an earlier run
```

- [Components](#components)
- [Borders](#borders)
- [Contours of levels](#contours-of-levels)
- [Edges](#edges)
- [Region snakes](#region-snakes)
- [Memory](#memory)
"""


def page_of(rows, source):
    values = Values(rows)
    machines = sorted({f"{row['commit']} on `{row['machine']}`" for row in rows})
    run = f"Run: `{source}`, commit {', '.join(machines)}." if source and rows else "It has no run yet."
    kernels = phase_table(values, "components")
    parts = [HEAD.format(source=run), components(values), kernels, borders(values), cracks(values), canny(values), snake(values),
             memory(values)]
    return "\n\n".join(part.strip() for part in parts) + "\n"
