"""Stages the documents for MkDocs:  stage.py TREE

The repository's own links are kept, so that what is good there is good on the site. What a document links to comes along: other
documents as they are, source as a page that shows it, a folder as a list. A diagram of an algorithm's page becomes the laboratory
in a frame, at that example."""
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(sys.argv[1]).resolve()
LINK = re.compile(r'(\]\()([^)\s]+)(\))')
DIAGRAM = re.compile(r'^!\[([^\]]*)\]\(\.\./diagrams/([\w-]+)\.svg\)$')
PICTURES = {'.svg', '.png'}
LANGUAGES = {'.h': 'cpp', '.cc': 'cpp', '.py': 'python', '.c': 'c', '.mjs': 'js', '.ts': 'ts', '.sh': 'bash', '.toml': 'toml'}

staged = set()  # Pages, as paths within the repository.
todo = []


def page_name(path: Path) -> str:
    """Where that file or folder of the repository is in the tree."""
    if path == ROOT / 'README.md':
        return 'index.md'
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        return f'{name}/README.md'
    return name if path.suffix == '.md' or path.suffix in PICTURES else f'{name}.md'


def write(name: str, text: str):
    to = TREE / name
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text)


def come_along(path: Path):
    if path not in staged:
        staged.add(path)
        todo.append(path)


def is_example(name: str) -> bool:
    return any(ROOT.glob(f'src/*/testdata/{name}.trace')) or (ROOT / f'docs/traces/{name}.trace').exists()


def framed(words: str, name: str, here: str) -> str:
    up = '../' * here.count('/')
    address = f'#embed=1&trace={name}'
    return (f'<figure class="live"><iframe src="{up}lab/index.html{address}" title="{words}, step by step" loading="lazy"></iframe>'
            f'<figcaption>{words}. Play it, step by the arrow keys, click a message to lose it. '
            f'<a href="{up}lab/index.html#trace={name}&at=0">Open it in the laboratory</a>, or see '
            f'<a href="{up}docs/diagrams/{name}.svg">all of it at once</a>.</figcaption></figure>')


def document(path: Path) -> str:
    here = page_name(path)
    is_algorithm = path.parent == ROOT / 'docs/algorithms'

    def link(match):
        before, target, after = match.groups()
        if re.match(r'[a-z]+:|#', target):
            return match.group(0)
        file, _, anchor = target.partition('#')
        found = (path.parent / file).resolve()
        if not found.exists() or ROOT not in [found, *found.parents]:
            sys.exit(f'{path.relative_to(ROOT)}: nothing is at {target}')
        come_along(found)
        to = os.path.relpath(page_name(found), os.path.dirname(here) or '.')
        return before + to + (f'#{anchor}' if anchor else '') + after

    lines = []
    fenced = False
    for line in path.read_text().split('\n'):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        elif not fenced:
            diagram = DIAGRAM.match(line) if is_algorithm else None
            if diagram and is_example(diagram[2]):
                come_along(ROOT / f'docs/diagrams/{diagram[2]}.svg')
                lines.append(framed(diagram[1], diagram[2], here))
                continue
            line = LINK.sub(link, line)
            # GitHub begins a list without an empty line before it, Python's Markdown does not; nor does it nest by two.
            starts = re.match(r'( *)([-*]|\d+\.) ', line)
            before = lines[-1] if lines else ''
            if starts and before.strip() and not re.match(r' *([-*]|\d+\.) |  +|#|<|\|', before):
                lines.append('')
        lines.append(line)
    return '\n'.join(lines)


def listed(folder: Path) -> str:
    words = [f'# {folder.name.capitalize() if folder.parent.name == "docs" else folder.relative_to(ROOT)}', '']
    for one in sorted(folder.iterdir()):
        if one.name.startswith('.') or one.is_dir() or one.name == 'README.md':
            continue
        come_along(one)
        title = one.name
        if one.suffix == '.md':
            title = re.sub(r'^#+ *', '', one.read_text().split('\n', 1)[0])
        words.append(f'- [{title}]({os.path.basename(page_name(one))})')
    return '\n'.join(words) + '\n'


def source(path: Path) -> str:
    text = path.read_text()
    fence = '`' * 6
    return (f'---\nsearch:\n  exclude: true\n---\n# {path.relative_to(ROOT)}\n\n{fence} {LANGUAGES.get(path.suffix, "text")}\n'
            f'{text}\n{fence}\n')


def main():
    shutil.rmtree(TREE, ignore_errors=True)
    for name in ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']:
        come_along(ROOT / name)
    for path in sorted((ROOT / 'docs').rglob('*.md')):
        come_along(path)
    come_along(ROOT / 'docs/guides')
    come_along(ROOT / 'docs/decisions')
    while todo:
        path = todo.pop()
        name = page_name(path)
        if path.is_dir():
            own = path / 'README.md'
            if not own.exists():
                write(name, listed(path))
            elif own not in staged:
                come_along(own)
        elif path.suffix == '.md':
            write(name, document(path))
        elif path.suffix in PICTURES:
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, TREE / name)
        else:
            write(name, source(path))
    shutil.copyfile(ROOT / 'page/site/site.css', TREE / 'site.css')
    shutil.copytree(ROOT / 'build/page/site', TREE / 'lab')
    configuration = (ROOT / 'page/site/mkdocs.yml').read_text()
    pages = sorted((ROOT / 'docs/algorithms').glob('*.md'), key=lambda one: (one.name != 'README.md', one.name))
    title = lambda one: re.sub(r'^#+ *', '', one.read_text().split('\n', 1)[0])
    listing = ''.join(f'\n      - {title(one)!r}: docs/algorithms/{one.name}' for one in pages)
    (TREE.parent / 'mkdocs.yml').write_text(
        configuration.replace(' !algorithms', listing).replace('../../build/site/', ''))


main()
