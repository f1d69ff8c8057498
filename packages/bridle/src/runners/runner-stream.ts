// Reads a runner's SSE answer into frames. Web streams only: Workers read the same way.
import { parseRunnerEvent, type RunnerFrame } from './protocol.ts'

/** One frame's text at most: no engine says more at once, and rubbish without a line break must end somewhere. */
const FRAME_CHARS_MAX = 16_000_000

export async function* runnerFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<RunnerFrame> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    // Joined first: a line break may be cut in two.
    rest = (rest + decoder.decode(bytes, { stream: true })).replaceAll('\r\n', '\n')
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > FRAME_CHARS_MAX) throw new Error("The runner's stream makes no sense.")
    for (const block of blocks) {
      const frame = frameOf(block)
      if (frame) yield frame
    }
  }
}

const frameOf = (block: string): RunnerFrame | null => {
  let id: number | null = null
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (name === 'id' && /^\d+$/.test(value)) id = Number(value)
    if (name === 'data') data.push(value)
  }
  if (data.length === 0) return null
  const event = parseRunnerEvent(data.join('\n'))
  return event && { id, event, chars: block.length }
}
