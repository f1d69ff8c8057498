// A client of the transport, written from the document "Harness Transport Protocol" alone: it connects, keeps a copy of the state,
// applies deltas in their order, and sends `submit` and `cancel`. It imports nothing of Bridle, never pings, and sends no command ids.

export interface CleanState {
  status: 'idle' | 'running' | 'error'
  messages: {
    id: string
    role: 'user' | 'assistant'
    content: string
    status: 'pending' | 'streaming' | 'complete' | 'error'
    toolCalls?: { id: string; name: string; status: 'running' | 'complete' | 'error' }[]
  }[]
  error?: string
}

type ServerMessage =
  | { type: 'state'; state: CleanState }
  | { type: 'delta'; operations: { type: 'set' | 'append-text'; path: string[]; value: unknown }[] }
  | { type: 'error'; message: string }

export interface CleanClient {
  readonly state: CleanState | null
  /** Messages of type `error`, in their order. */
  readonly errors: readonly string[]
  /** How many messages of each type came, also of types that the document does not name. */
  readonly counts: { readonly [type: string]: number }
  readonly isOpen: boolean
  submit(prompt: string): void
  cancel(): void
  close(): void
}

export const connect = async (url: string): Promise<CleanClient> => {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  const errors: string[] = []
  const counts: { [type: string]: number } = {}
  let state: CleanState | null = null
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error(`${url} cannot be opened`))
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as ServerMessage
      counts[message.type] = (counts[message.type] ?? 0) + 1
      if (message.type === 'state') {
        state = message.state
        resolve()
      }
      if (message.type === 'delta') for (const operation of message.operations) state = apply(state, operation)
      if (message.type === 'error') errors.push(message.message)
    }
  })
  const command = (each: object) => socket.send(JSON.stringify({ type: 'commands', commands: [each] }))
  return {
    get state() {
      return state
    },
    errors,
    counts,
    get isOpen() {
      return socket.readyState === WebSocket.OPEN
    },
    submit: (prompt) => command({ type: 'submit', prompt }),
    cancel: () => command({ type: 'cancel' }),
    close: () => socket.close(),
  }
}

const apply = (
  root: CleanState | null,
  { type, path, value }: { type: 'set' | 'append-text'; path: string[]; value: unknown },
): CleanState | null => {
  const holder = { root } as unknown as { [name: string]: never }
  let at = holder
  const names = ['root', ...path]
  for (const name of names.slice(0, -1)) at = at[name] as never
  const last = names.at(-1) as string
  at[last] = (type === 'set' ? value : `${at[last]}${value}`) as never
  return holder.root as unknown as CleanState
}
