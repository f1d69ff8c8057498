import { describe, expect, test } from 'vitest'
import { BrokenStreamError, readRunnerFrames } from './runner-frames.ts'

const said = (text: string, cut: number): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start: (out) => {
      out.enqueue(bytes.slice(0, cut))
      out.enqueue(bytes.slice(cut))
      out.close()
    },
  })
}

test.each(['\n', '\r\n'])('[R1] frames with %j come whole, wherever they are cut', async (end) => {
  const lines = ['id: 1', 'event: assistant.delta', 'data: {"type":"assistant.delta","text":"é"}', '', ': beat', '']
  const text = [...lines, 'data: {"type":"run.completed"}', '', ''].join(end)
  for (let cut = 0; cut <= new TextEncoder().encode(text).length; cut++) {
    const frames: unknown[] = []
    for await (const { id, event } of readRunnerFrames(said(text, cut))) frames.push([id, event])
    expect(frames).toEqual([
      [1, { type: 'assistant.delta', text: 'é' }],
      [null, { type: 'run.completed' }],
    ])
  }
})

const pieces = async function* (...given: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of given) yield new TextEncoder().encode(piece)
}
const read = async (body: AsyncIterable<Uint8Array>, frameMs?: number) => {
  const frames: unknown[] = []
  for await (const { id, event } of readRunnerFrames(body, frameMs)) frames.push([id, event])
  return frames
}
const delta = (id: number | string, text = 'a') => `id: ${id}\ndata: {"type":"assistant.delta","text":"${text}"}\n\n`

describe('[R19] a frame', () => {
  const size = 16_000_000
  const long = async function* (chars: number): AsyncGenerator<Uint8Array> {
    const frame = new TextEncoder().encode(`${'data: {"type":"assistant.delta","text":"'.padEnd(chars - 2, 'x')}"}\n\n`)
    for (let from = 0; from < frame.length; from += 65_536) yield frame.slice(from, from + 65_536)
  }

  test('of 16 million characters is one, and of one more is none', async () => {
    for await (const { chars } of readRunnerFrames(long(size))) expect(chars).toBe(size + 1)
    await expect(read(long(size + 1))).rejects.toThrow(BrokenStreamError)
  })

  test('that never ends is none, whatever it is made of', async () => {
    let sent = 0
    const endless = async function* (piece: string) {
      for (const bytes = new TextEncoder().encode(piece); ; sent += bytes.length) yield bytes
    }
    for (const piece of ['x'.repeat(100_000), `data: ${'x'.repeat(1_000)}\n`, `: ${'c'.repeat(1_000)}\r\n`]) {
      sent = 0
      await expect(read(endless(piece))).rejects.toThrow('longer than')
      expect(sent).toBeLessThan(size + 200_000)
    }
  })

  test('in many small pieces costs as much as it is long', async () => {
    const work = async (chars: number) => {
      const frame = `data: {"type":"assistant.delta","text":"${'x'.repeat(chars)}"}\n\n`
      const cut = async function* () {
        for (let from = 0; from < frame.length; from += 1_000)
          yield new TextEncoder().encode(frame.slice(from, from + 1_000))
      }
      // The generator's own slices come first.
      const given: Uint8Array[] = []
      for await (const bytes of cut()) given.push(bytes)
      const spied = ['indexOf', 'split', 'slice', 'replace', 'replaceAll', 'match', 'endsWith', 'substring'] as const
      let looked = 0
      const originals = spied.map((name) => String.prototype[name])
      const join = Array.prototype.join
      for (const [index, name] of spied.entries())
        String.prototype[name] = function (this: string, ...args: never[]) {
          looked += this.length
          return (originals[index] as (...all: unknown[]) => never).apply(this, args)
        } as never
      Array.prototype.join = function (this: unknown[], ...args: [string?]) {
        const text = join.apply(this, args)
        looked += text.length
        return text
      }
      try {
        expect(await read(pieceList(given))).toHaveLength(1)
      } finally {
        for (const [index, name] of spied.entries()) String.prototype[name] = originals[index] as never
        Array.prototype.join = join
      }
      return looked
    }
    const [one, eight] = [await work(1_000_000), await work(8_000_000)]
    expect(eight / one).toBeLessThan(9)
  })

  test('that is not whole in time is broken, whether it stands still or dribbles; silence between frames is none', async () => {
    const halfThenStill = async function* () {
      yield new TextEncoder().encode('data: {')
      await new Promise(() => {})
    }
    await expect(read(halfThenStill(), 30)).rejects.toThrow('for one frame')
    const dribble = async function* () {
      for (let times = 0; times < 10_000; times++) {
        yield new TextEncoder().encode('x')
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    await expect(read(dribble(), 30)).rejects.toThrow('for one frame')
    const quiet = async function* () {
      yield new TextEncoder().encode(delta(1))
      await new Promise((resolve) => setTimeout(resolve, 100))
      yield new TextEncoder().encode(delta(2))
    }
    expect(await read(quiet(), 30)).toHaveLength(2)
  })
})

describe('[R19] a frame’s number', () => {
  test.each([
    ['zero', '0'],
    ['with 16 digits', '1'.padEnd(16, '0')],
    ['with 20 digits', '1'.padEnd(20, '0')],
    ['with 400 digits', '9'.repeat(400)],
  ])('%s breaks the stream', async (_name, id) => {
    const reading = read(pieces(delta(1).replace('id: 1', `id: ${id}`)))
    await expect(reading).rejects.toThrow(BrokenStreamError)
    await expect(reading).rejects.toThrow(`has the id "${id.slice(0, 40)}", which`)
  })

  test.each([
    ['backwards', [3, 2]],
    ['on the spot', [3, 3]],
  ])('that goes %s breaks the stream', async (_name, ids) => {
    await expect(read(pieces(...ids.map((id) => delta(id))))).rejects.toThrow(BrokenStreamError)
  })

  test('is absent, or no number at all, where the runner numbers nothing', async () => {
    const frames = await read(pieces(delta('of-mine'), delta(4), 'data: {"type":"run.completed"}\n\n'))
    expect(frames.map((frame) => (frame as [number | null])[0])).toEqual([null, 4, null])
  })
})

const pieceList = async function* (given: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* given
}
