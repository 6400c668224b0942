// The traces of the lectures and of what breaks, which the page carries with it.
const lectures = import.meta.glob<string>(['../../src/*/testdata/*.trace'], { query: '?raw', import: 'default', eager: true });
const breaks = import.meta.glob<string>(['../../docs/traces/*.trace'], { query: '?raw', import: 'default', eager: true });

export interface Example {
  name: string;
  path: string; // Within the repository.
  group: string;
  text: string;
}

const examplesOf = (files: Record<string, string>, group: (path: string) => string): Example[] =>
  Object.entries(files).map(([file, text]) => {
    const path = file.replace('../../', '');
    return { name: path.replace(/^.*\//, '').replace(/\.trace$/, ''), path, group: group(path), text };
  });

export const examples: Example[] = [
  ...examplesOf(lectures, (path) => (path.startsWith('src/election') ? 'Elections' : 'Examples of the lectures')),
  ...examplesOf(breaks, () => 'What breaks without an assumption'),
].sort((a, b) => a.name.localeCompare(b.name));

export const groups = ['Examples of the lectures', 'Elections', 'What breaks without an assumption'];
