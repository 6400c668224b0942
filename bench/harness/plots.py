"""Rows of one figure as an SVG: a dot for the median, a line from the least to the most, a logarithmic axis. Readable in grey."""
import html
import math

ROW, LEFT, WIDTH, TOP = 22, 300, 420, 54


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
