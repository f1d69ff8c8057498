import { expect, test } from 'vitest'
import { runnerFrames } from './runner-stream.ts'

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
    for await (const { id, event } of runnerFrames(said(text, cut))) frames.push([id, event])
    expect(frames).toEqual([
      [1, { type: 'assistant.delta', text: 'é' }],
      [null, { type: 'run.completed' }],
    ])
  }
})
