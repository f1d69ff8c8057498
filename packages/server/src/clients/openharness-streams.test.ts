// A shell that streams against Bridle's own engine, over HTTP on a loopback port, with connections that break.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpTransport } from '@bridle/openharness/http-transport'
import { stubShell } from '@bridle/openharness/stub-engine.suite'
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

const script = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`
const data = mkdtempSync(join(tmpdir(), 'bridle-streams-'))
let server: HarnessServer
beforeAll(async () => {
  // The time for an answer without a stream is over at once.
  server = await HarnessServer.start({ port: 0, data, store: 'memory', log: () => {}, openharness: { waitMs: 1 } })
})
afterAll(async () => {
  await server.close()
  rmSync(data, { recursive: true, force: true })
})

/** Cuts the body of every stream behind so many bytes, and more each time: frames get through in the end. */
const cutting = (bytes: number, onCut: () => void): typeof fetch => {
  let limit = bytes
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    let left = limit
    limit *= 2
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        controller.enqueue(piece.slice(0, left))
        left -= piece.length
        if (left > 0) return
        onCut()
        controller.error(new Error('cut'))
      },
    })
    return new Response(response.body.pipeThrough(cut), response)
  }
}

const shellOf = (sessionId: string, cutBytes: number) => {
  const partials: (readonly ActionDirective[])[] = []
  let cuts = 0
  const transport = httpTransport({
    url: `${server.url}/v1/openharness`,
    retryMs: 1,
    fetch: cutting(cutBytes, () => {
      cuts += 1
    }),
  })
  const stub = stubShell([], {
    transport,
    sessionId,
    onPartial: ({ action_directives }) => partials.push(action_directives),
    handlers: {
      render_message: ({ text }) => stub.calls.push(text),
      'com.example.ping': (payload) => stub.calls.push(payload),
      request_approval: () => 'approve',
    },
  })
  return { ...stub, partials, cuts: () => cuts }
}

const steps = script(
  { text: 'One ' },
  { directive: { action_type: 'com.example.ping', payload: { at: 1 } } },
  { sleepMs: 20 },
  { text: 'two.' },
  { approve: 'write' },
  { text: 'Written.' },
  { directive: { action_type: 'com.example.ping', payload: { at: 2 } } },
)

test('[OHS55] [OHS56] [OHS57] three shells, two turns each, interleaved: cut or not, each directive is executed once', async () => {
  const shells = ['whole', 'cut-early', 'cut-late'].map((id, index) => shellOf(id, [1e9, 80, 300][index]!))
  const turns = shells.flatMap(({ shell }) => [shell.send(steps), shell.send(steps)])
  for (const { error, responses, feedback } of await Promise.all(turns)) {
    expect([error, responses.length]).toEqual([null, 2])
    expect(feedback.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'executed'))
  }
  for (const { calls, partials } of shells) {
    const turn = ['One ', { at: 1 }, 'two.', 'Written.', { at: 2 }]
    expect(calls).toEqual([...turn, ...turn])
    const types = partials.map((list) => list.map(({ action_type }) => action_type).join())
    expect(types).toContain('render_message,com.example.ping,render_message,request_approval')
  }
  expect(shells.map(({ cuts }) => cuts() > 0)).toEqual([false, true, true])
})
