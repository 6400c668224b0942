"""Rows of one figure as an SVG: a dot for the median, a line from the least to the most, a logarithmic axis. Readable in grey."""
import html
import math

ROW, LEFT, WIDTH, TOP = 22, 400, 420, 54


def short(value):
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {unit}"
    return f"{value:.3g}"


def plot(title, unit, rows):
    """rows: (name, least, median, most, is ours)."""
    low = math.floor(math.log10(min(r[1] for r in rows)))
    high = max(low + 1, math.ceil(math.log10(max(r[3] for r in rows))))
    at = lambda value: LEFT + (math.log10(value) - low) / (high - low) * WIDTH
    height = TOP + ROW * len(rows) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {height}" font-family="sans-serif" font-size="13">',
           f'<title>{html.escape(title)}</title>',
           f'<rect width="100%" height="100%" fill="white"/>',
           f'<text x="12" y="22" font-size="15" font-weight="bold">{html.escape(title)}</text>',
           f'<text x="{LEFT}" y="40" fill="#555">{html.escape(unit)}, logarithmic; median, least … most</text>']
    bottom = TOP + ROW * len(rows)
    for power in range(low, high + 1):
        x = at(10 ** power)
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{short(10 ** power)}</text>')
    for i, (name, least, median, most, ours) in enumerate(rows):
        y = TOP + ROW * i + ROW / 2
        weight, colour = ('bold', '#000') if ours else ('normal', '#666')
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end" font-weight="{weight}">{html.escape(name)}</text>')
        out.append(f'<line x1="{at(least):.1f}" y1="{y}" x2="{at(most):.1f}" y2="{y}" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<circle cx="{at(median):.1f}" cy="{y}" r="5" fill="{colour if ours else "white"}" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{at(most) + 10:.1f}" y="{y + 4}" font-weight="{weight}">{short(median)}</text>')
    return "\n".join(out + ["</svg>", ""])


# --- lines over powers of ten ---

PANEL, GAP, TALL, HEAD = 250, 70, 220, 96
# A shape and a stroke each, so that they are told apart without colour.
LOOKS = [("circle", ""), ("square", "6 3"), ("triangle", "2 3"), ("diamond", "8 3 2 3"), ("cross", "12 4")]


def mark(shape, x, y):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="#000" stroke-width="1.5"/>'
    path = {"square": "M-4-4h8v8h-8z", "triangle": "M0-5l5 9h-10z", "diamond": "M0-6l5 6l-5 6l-5-6z", "cross": "M-4-4l8 8M-4 4l8-8"}[shape]
    return f'<path d="{path}" transform="translate({x:.1f} {y:.1f})" fill="{"black" if shape == "triangle" else "white"}" stroke="#000" stroke-width="1.5"/>'


def powers(values):
    low = math.floor(math.log10(min(values)) + 1e-9)
    return low, max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))


def panel(left, title, axis, series, looks):
    (x0, x1), (y0, y1) = (powers([p[i] for _, points in series for p in points]) for i in (0, 1))
    at_x = lambda v: left + (math.log10(v) - x0) / (x1 - x0) * PANEL
    at_y = lambda v: HEAD + TALL - (math.log10(v) - y0) / (y1 - y0) * TALL
    out = [f'<text x="{left}" y="{HEAD - 12}" font-weight="bold">{html.escape(title)}</text>',
           f'<text x="{left + PANEL / 2}" y="{HEAD + TALL + 38}" text-anchor="middle" fill="#555">{html.escape(axis)}</text>']
    for power in range(y0, y1 + 1):
        y = at_y(10 ** power)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + PANEL}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{short(10 ** power)}</text>')
    for power in range(x0, x1 + 1):
        out.append(f'<text x="{at_x(10 ** power):.1f}" y="{HEAD + TALL + 18}" text-anchor="middle" fill="#555">{short(10 ** power)}</text>')
    for name, points in series:
        shape, dashes = looks[name]
        where = [(at_x(x), at_y(y)) for x, y in points]
        out.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}" fill="none" stroke="#444" stroke-width="1.5" '
                   f'stroke-dasharray="{dashes or "none"}"/>')
        out += [mark(shape, x, y) for x, y in where]
    return out


def lines(title, axis, panels):
    """panels: (what is drawn, [(name, [(x, y)])]); both axes are logarithmic."""
    names = list(dict.fromkeys(name for _, series in panels for name, _ in series))
    looks = dict(zip(names, LOOKS))
    width, height = len(panels) * (PANEL + GAP) + 30, HEAD + TALL + 54
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           f'<title>{html.escape(title)}</title>',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="12" y="22" font-size="15" font-weight="bold">{html.escape(title)}</text>']
    for i, (name, (shape, dashes)) in enumerate(looks.items()):
        x = 16 + i * 160
        out.append(f'<line x1="{x}" y1="48" x2="{x + 34}" y2="48" stroke="#444" stroke-width="1.5" stroke-dasharray="{dashes or "none"}"/>')
        out += [mark(shape, x + 17, 48), f'<text x="{x + 42}" y="52">{html.escape(name)}</text>']
    for i, (what, series) in enumerate(panels):
        out += panel(GAP - 10 + i * (PANEL + GAP), what, axis, series, looks)
    return "\n".join(out + ["</svg>", ""])
