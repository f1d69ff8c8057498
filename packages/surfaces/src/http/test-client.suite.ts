// The HTTP client of the tests: requests with JSON, and a reader of server-sent events that keeps raw frames.

export interface SseFrame {
  readonly id: string | null
  readonly data: { id: string; type: string; timestamp: string; sessionId: string; data: Record<string, unknown> }
  readonly raw: string
}

export const scriptBody = (...steps: unknown[]): { prompt: string } => ({ prompt: `@script ${JSON.stringify(steps)}` })

export const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Reads frames until `enough` says so or the server ends the stream. */
export const readFrames = async (
  url: string,
  enough: (frames: readonly SseFrame[]) => boolean,
  headers: Record<string, string> = {},
): Promise<SseFrame[]> => (await watchStream(url, enough, headers)).frames

/** Resolves when the stream is open: what happens from then on is in its frames. */
export const watchStream = async (
  url: string,
  enough: (frames: readonly SseFrame[]) => boolean,
  headers: Record<string, string> = {},
): Promise<{ frames: Promise<SseFrame[]>; seen: readonly SseFrame[] }> => {
  const leave = new AbortController()
  const response = await fetch(url, { headers, signal: leave.signal })
  const seen: SseFrame[] = []
  return { seen, frames: collectFrames(response, seen, enough).finally(() => leave.abort()) }
}

/** The frames of a stream until there are enough, or it ends. */
export const collectFrames = async <F extends Pick<SseFrame, 'id' | 'raw'> & { readonly data: unknown } = SseFrame>(
  response: Response,
  frames: F[],
  enough: (frames: readonly F[]) => boolean,
): Promise<F[]> => {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data === undefined) continue
        frames.push({ id: /^id: (.*)$/m.exec(block)?.[1] ?? null, data: JSON.parse(data), raw: block } as F)
        if (enough(frames)) return frames
      }
    }
  } catch {
    // The server was killed: what arrived until then is what there is.
  }
  return frames
}

export const isIdle = (frames: readonly SseFrame[]): boolean => frames.at(-1)?.data.type === 'idle'
export const typesOf = (frames: readonly SseFrame[]): string[] => frames.map((frame) => frame.data.type)

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const errorTypeOf = (body: Record<string, unknown>) => (body.error as { type?: string }).type
