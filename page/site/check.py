"""Checks a built site:  check.py HTML

Every link and every anchor leads somewhere, and no page makes a browser ask another host for anything."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HTML = Path(sys.argv[1]).resolve()
LOADS = {'script': 'src', 'img': 'src', 'link': 'href', 'iframe': 'src', 'source': 'src', 'object': 'data', 'embed': 'src'}
ASKED_FOR_NOBODY = {'canonical', 'prev', 'next', 'edit', 'alternate'}


class Page(HTMLParser):
    def __init__(self, path: Path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        for name in (said.get('id'), said.get('name') if tag == 'a' else None):
            if name:
                self.anchors.add(name)
        if tag == 'a' and said.get('href'):
            self.links.append(said['href'])
        wanted = said.get(LOADS.get(tag, ''))
        if wanted and not (tag == 'link' and set((said.get('rel') or '').split()) & ASKED_FOR_NOBODY):
            self.loads.append(wanted)


pages = {path: Page(path) for path in HTML.rglob('*.html') if HTML / 'lab' not in path.parents}
wrong = []
for path, page in pages.items():
    name = path.relative_to(HTML)
    for target in page.loads:
        if urlsplit(target).scheme not in ('', 'data') or target.startswith('//'):
            wrong.append(f'{name} loads {target}')
    if path.name == '404.html':  # Its links begin at the root of a host.
        continue
    for target in page.links + page.loads:
        parts = urlsplit(target)
        if parts.scheme or target.startswith('//'):
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if file.is_dir():
            file /= 'index.html'
        if not file.exists():
            wrong.append(f'{name}: nothing is at {target}')
        elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
            wrong.append(f'{name}: no anchor {target}')
for css in HTML.rglob('*.css'):
    text = css.read_text()
    for marker in ('url(http', 'url(//', 'url("http', '@import "http'):
        if marker in text:
            wrong.append(f'{css.relative_to(HTML)} loads from elsewhere')
print('\n'.join(wrong), file=sys.stderr)
print(f'{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links')
sys.exit(1 if wrong or len(pages) < 50 else 0)
