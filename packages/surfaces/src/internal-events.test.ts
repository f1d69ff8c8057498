// The facts by which a durable run is continued are for nobody outside: not on a stream, a socket, a list, in a card, a channel, an
// audit, a timeline or an artifact. Each fact has a canary, and every route and every socket is searched for it. The log and its exports
// name every event, and show nothing of these facts.

import { catalogue, EVENT_TYPES, type EventType, inTier } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { SessionLogPage } from '@bridle/wire/http/wire'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { httpWires, socketWires } from './all.ts'
import { routeTable } from './app.ts'
import { isCarried } from './fabric/codec.ts'
import { type SocketOpener, upgradeSocket } from './http/streams/socket-route.ts'
import { testApp } from './http/test-app.suite.ts'

const CANARY = 'canary-of-a-durable-run'
const INTERNAL = EVENT_TYPES.filter((type) => catalogue[type].wire === 'internal')

const fact = <T extends EventType>(type: T, payload: Payloads[T]): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as ReportItem

const facts: readonly ReportItem[] = [
  fact('model_step', {
    step: 1,
    model: `model-${CANARY}`,
    content: [
      { type: 'text', text: CANARY, metadata: { anthropic: { signature: CANARY } } },
      { type: 'call', id: 'r-2.1.1', tool: 'pay', input: { [CANARY]: CANARY }, provider_id: CANARY },
    ],
    finish: 'tool-calls',
  }),
  fact('context_added', { text: CANARY, source: CANARY }),
  fact('step_done', { name: CANARY, result: { [CANARY]: CANARY } }),
  fact('step_done', { name: `${CANARY}#2`, error: CANARY }),
  fact('memory_set', { key: CANARY, value: [CANARY], expires_at: null }),
]

/** Reports every fact, waits once, and ends as its prompt says when the signal comes. */
const factsRunner: Runner = {
  start: async (_job, reporter) => {
    await reporter.report([{ type: 'started', durable: true }])
    await reporter.report([fact('token', { text: 'shown' }), ...facts])
    await reporter.report([{ type: 'waiting', until: null, seen: reporter.session.job()?.course?.head ?? 0 }])
    return 'waiting'
  },
  attach: async ({ prompt }, reporter) => {
    await reporter.report([{ type: 'resumed' }, { type: 'supersede', keep: { chars: 2, parts: 1 } }, ...facts])
    const end: ReportItem =
      prompt === 'fail' ? { type: 'failed', message: 'It failed.' } : { type: 'finished', result: 'done' }
    await reporter.report([end])
    return 'done'
  },
  abort: async () => null,
  answer: async () => {},
}

const it = testApp({}, { durable: factsRunner, other: factsRunner })
const sessions: Readonly<Record<string, string>> = {
  'chat-1': 'durable',
  'back-1': 'other',
  'fails-1': 'durable',
  'branch-1': 'durable',
}
const answers: string[] = []
const post = async (path: string, body: object, headers?: Record<string, string>) => {
  const answer = await it.post(path, body, headers)
  answers.push(JSON.stringify(answer.body))
  return answer
}
const isWaiting = (id: string) =>
  vi.waitFor(async () => {
    const session = await sessionOf(id)
    expect(session.state.course.wait).not.toBeNull()
  })

beforeAll(async () => {
  await post('/chat/sessions', { agent: 'durable', session_id: 'chat-1' })
  await post('/chat/sessions/chat-1/turns', { prompt: 'finish' })
  await post('/sessions', { agent: 'other', session_id: 'back-1', prompt: 'finish', parent_session_id: 'chat-1' })
  await post('/agents/durable/fails-1', { prompt: 'fail' }, { prefer: 'respond-async' })
  for (const id of ['chat-1', 'back-1', 'fails-1']) await isWaiting(id)
  const { body } = await it.get('/sessions/chat-1')
  await post('/sessions/chat-1/resume', { from_event_id: body.lastEventId, session_id: 'branch-1' })
  await isWaiting('branch-1')
  for (const id of Object.keys(sessions)) await post(`/sessions/${id}/signal`, { name: 'go' })
  await vi.waitFor(async () => {
    for (const id of Object.keys(sessions))
      expect((await it.get(`/sessions/${id}`)).body.status).toBeOneOf(['idle', 'completed', 'failed'])
  })
})

const sessionOf = (id: string) => it.host.open({ tenant: 'default', agent: sessions[id] ?? '', id })

/** The text after which a stream of the session has no more to say. */
const lastFrame = async (path: string, id: string): Promise<string> => {
  if (path.includes('/health/')) return '"health_snapshot"'
  // Changes have no past.
  if (path.startsWith('/changes')) return '"ready"'
  const session = await sessionOf(id)
  const isShown = path.includes('/events/stream')
    ? ({ type }: AnyEvent) => inTier(type, 'debug')
    : isCarried(session.key)
  return `id: ${(await session.read(0, 1_000)).findLast(isShown)?.seq}\n`
}

/** The text of an answer; of a stream, all that has happened so far. */
const textOf = async (path: string, id: string): Promise<string> => {
  const leave = new AbortController()
  const response = await it.app.fetch(new Request(`http://127.0.0.1${path}`, { signal: leave.signal }))
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const decoder = new TextDecoder()
  const last = await lastFrame(path, id)
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(last)) break
  }
  leave.abort()
  return text
}

/** Rows whose answers name every event. */
const LOG_PATHS = new Set(['/sessions/:id/log', '/sessions/:id/export', '/export'])

const search = (text: string, isLog = false): void => {
  expect(text).not.toContain(CANARY)
  for (const type of isLog ? [] : INTERNAL) expect(text).not.toContain(`"${type}"`)
}

describe('[E9] [E17] no client sees the facts of a durable run', () => {
  test('the log has each of them', async () => {
    for (const id of Object.keys(sessions)) {
      const session = await sessionOf(id)
      const types = (await session.read(0, 1_000)).map(({ type }) => type)
      expect(types).toEqual(expect.arrayContaining(['model_step', 'context_added', 'step_done', 'memory_set']))
      expect(types).toEqual(expect.arrayContaining(['run_waiting', 'run_woken', 'run_resumed', 'output_superseded']))
    }
  })

  test('not in an answer to a command', () => {
    expect(answers.length).toBeGreaterThan(7)
    for (const answer of answers) search(answer)
  })

  const rows = routeTable(httpWires).filter(({ method }) => method === 'get')
  test.each(rows.map(({ path }) => path))('not at GET %s', async (path) => {
    // An answer about no session is the same for each of them.
    for (const [id, agent] of Object.entries(sessions).slice(0, path.includes(':id') ? undefined : 1)) {
      const places: Record<string, string> = { id, name: agent, runId: 'r-2', artifactId: 'run_record' }
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => places[name] ?? name)
      for (const query of ['', '?tier=debug&replay=all', '?replay=3'])
        search(await textOf(`${filled}${query}`, id), LOG_PATHS.has(path))
    }
  })

  test('[X3] the log counts each of them, and says nothing more', async () => {
    for (const [id, agent] of Object.entries(sessions)) {
      const { entries } = (await it.get(`/sessions/${id}/log?agent=${agent}`)).body as unknown as SessionLogPage
      for (const type of ['model_step', 'context_added', 'step_done', 'memory_set']) {
        const hidden = entries.filter((entry) => entry.type === type)
        expect(hidden.length).toBeGreaterThan(0)
        for (const entry of hidden) expect(entry).toMatchObject({ withheld: true, payload: {} })
      }
    }
  })

  test('not in an artifact', async () => {
    for (const id of Object.keys(sessions)) {
      const { artifacts } = (await it.get(`/sessions/${id}/artifacts`)).body as { artifacts: { id: string }[] }
      if (id === 'back-1') expect(artifacts.length).toBeGreaterThan(0)
      for (const artifact of artifacts) search(await textOf(`/sessions/${id}/artifacts/${artifact.id}`, id))
    }
  })

  test.each(['/sessions/ID/ws?replay=all', '/ws?sessionId=ID', '/ws?sessionId=ID&after=3'])(
    'not on the socket %s',
    async (path) => {
      for (const id of Object.keys(sessions)) {
        const request = new Request(`http://127.0.0.1${path.replace('ID', id)}`)
        const opener = (await upgradeSocket(socketWires, request, '', it.app.ports)) as SocketOpener
        const texts: string[] = []
        opener({
          send: (messages) => texts.push(...messages),
          close: () => {},
          buffered: () => 0,
          drained: async () => {},
        })
        await vi.waitFor(() => expect(texts.join()).toMatch(/"(replay-end|state|delta)"/))
        search(texts.join('\n'))
      }
    },
  )
})
