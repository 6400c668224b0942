// Server-sent events with a pass in a field of the request, which EventSource cannot send. A pass in a cookie would go to
// every port of this machine, and one in the address would stay in the history.

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function ask(path: string, pass: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${pass}` }, signal, cache: 'no-store' });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({ error: answer.statusText }));
  throw new Refused(answer.status, said.error);
}

export const get = async (path: string, pass: string) => (await ask(path, pass)).json();

const kSilence = 6000; // Events come every second: a daemon that says nothing for so long is stopped, or out of reach.

// Until the stream ends, which is no error, or nothing comes any more, which is one.
export async function follow(path: string, pass: string, onEvent: (event: string, told: any) => void): Promise<void> {
  const silence = new AbortController();
  const hangUp = () => silence.abort(new Error('nothing comes any more'));
  let timer = setTimeout(hangUp, kSilence);
  try {
    await read(await ask(path, pass, silence.signal), onEvent, () => {
      clearTimeout(timer);
      timer = setTimeout(hangUp, kSilence);
    });
  } finally {
    clearTimeout(timer);
  }
}

async function read(answer: Response, onEvent: (event: string, told: any) => void, onWord: () => void): Promise<void> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onWord();
    rest += value;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      onEvent(field('event'), JSON.parse(field('data')));
    }
  }
}
