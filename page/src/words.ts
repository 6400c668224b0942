// A little Markdown, as our own documents have it: what stands in a line, and the blocks of a document. It is never more than text.

export type Words = { kind: 'text' | 'code' | 'strong' | 'em'; text: string } | { kind: 'link'; text: string; to: string };

export function wordsOf(line: string): Words[] {
  const words: Words[] = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/g;
  let from = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > from) words.push({ kind: 'text', text: line.slice(from, match.index) });
    if (match[1] !== undefined) words.push({ kind: 'code', text: match[1] });
    else if (match[2] !== undefined) words.push({ kind: 'strong', text: match[2] });
    else if (match[3] !== undefined) words.push({ kind: 'em', text: match[3] });
    else words.push({ kind: 'link', text: match[4].replace(/^\*(.*)\*$/, '$1').replaceAll('*', ''), to: match[5] });
    from = match.index + match[0].length;
  }
  if (from < line.length) words.push({ kind: 'text', text: line.slice(from) });
  return words;
}

export type Block =
  | { kind: 'heading'; level: number; text: string; anchor: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] };

// As GitHub makes it of a heading: lower case, no punctuation, a dash for each space.
export const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(' ', '-').replace(/[^\p{L}\p{N}_-]/gu, '');

export function blocksOf(text: string): Block[] {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .map((part): Block => {
      const lines = part.trim().split('\n');
      const heading = /^(#+) (.*)$/.exec(lines[0]);
      if (heading) return { kind: 'heading', level: heading[1].length, text: heading[2], anchor: anchorOf(heading[2]) };
      if (lines[0].startsWith('|')) return { kind: 'table', head: rowOf(lines[0]), rows: lines.slice(2).map(rowOf) };
      if (/^\d+\. /.test(lines[0])) return { kind: 'list', items: part.trim().split(/\n(?=\d+\. )/).map((item) => item.replace(/^\d+\. /, '')) };
      return { kind: 'paragraph', text: lines.join(' ') };
    });
}
const rowOf = (line: string) => line.trim().replace(/^\| ?/, '').replace(/ ?\|$/, '').split(' | ').map((cell) => cell.trim());
