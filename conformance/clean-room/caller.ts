// A caller of a sandbox runner, written from the document "Harness Server" alone: it posts `{ prompt }`, reads the events of the
// run, and cancels by dropping the request. It imports nothing of Bridle.

export type CleanRunnerEvent = { readonly type: string; readonly [field: string]: unknown }

export interface CallerRun {
  readonly status: number
  /** In the order of their coming; those that the document does not name are left out. */
  readonly events: readonly CleanRunnerEvent[]
  /** Resolves when the stream is over, or was dropped. */
  readonly ended: Promise<void>
  drop(): void
}

const KNOWN = new Set(['run.started', 'assistant.delta', 'tool.started', 'run.completed', 'run.error'])

export const startQuery = async (url: string, prompt: string): Promise<CallerRun> => {
  const leave = new AbortController()
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt }),
    signal: leave.signal,
  })
  const events: CleanRunnerEvent[] = []
  const read = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = block.split('\n').find((line) => line.startsWith('data: '))
        if (!data) continue
        const event = JSON.parse(data.slice('data: '.length)) as CleanRunnerEvent
        if (KNOWN.has(event.type)) events.push(event)
      }
    }
  }
  return { status: response.status, events, ended: read().catch(() => {}), drop: () => leave.abort() }
}

export const health = async (url: string): Promise<{ ok: boolean; busy: boolean; hasAnthropicKey: boolean }> =>
  (await (await fetch(`${url}/health`)).json()) as { ok: boolean; busy: boolean; hasAnthropicKey: boolean }
