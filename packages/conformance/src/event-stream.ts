import { CaseFailure, ServerTimeout, showValue } from './failure.ts'

export interface EventFrame {
  readonly id: string | null
  readonly data: { readonly type: string }
  readonly raw: string
}

export const readStream = async (
  url: string,
  request: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  until: string,
  timeoutMs: number,
): Promise<EventFrame[]> => {
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), timeoutMs)
  const frames: EventFrame[] = []
  try {
    const response = await fetch(url, { ...request, signal: leave.signal })
    if (!response.ok || !response.body)
      throw new CaseFailure({
        at: 'status',
        expected: '200',
        actual: `${response.status} ${showValue(await response.text())}`,
      })
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const frame = frameOf(block)
        if (frame === null) continue
        frames.push(frame)
        if (frame.data.type === until) return frames
      }
    }
  } catch (error) {
    if (error instanceof CaseFailure) throw error
    if (leave.signal.aborted) throw new ServerTimeout(`an event of type ${until}`, timeoutMs, eventTypes(frames))
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
  throw new CaseFailure({
    at: 'stream',
    expected: `an event of type ${until}`,
    actual: `its end after ${eventTypes(frames)}`,
  })
}

const eventTypes = (frames: readonly EventFrame[]): string =>
  frames.length === 0 ? 'nothing' : showValue(frames.map(({ data }) => data.type))

const frameOf = (block: string): EventFrame | null => {
  const data = /^data: (.*)$/m.exec(block)?.[1]
  if (data === undefined) return null
  return { id: /^id: (.*)$/m.exec(block)?.[1] ?? null, data: JSON.parse(data) as EventFrame['data'], raw: block }
}
