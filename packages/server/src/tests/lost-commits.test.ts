// A server that was killed, and whose write-ahead log was damaged meanwhile: the newest commits of all sessions are gone, the
// sessions continue differently and grow beyond the cursors of their clients. Every client on every wire begins again.
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentEvent,
  connectFabricWs,
  emptyFrontendState,
  type FrontendState,
  fabricClient,
  frontendCursor,
  HarnessClient,
  reduceFrontend,
} from '@bridle/client/index'
import { collectFrames, get, post, readFrames, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HarnessServer } from '../node/index.ts'
import type { LogFields } from '../node/logger.ts'

const SESSIONS = ['one', 'two', 'three']
const BACKOFF = { firstMs: 20, longestMs: 60 }

let folder: string
let server: HarnessServer
let url: string
/** Answers of the probes of the server that found the damage. */
let noticed: [number, string]
const logged: { message: string; fields: LogFields | undefined }[] = []
const start = (data: string, port = 0): Promise<HarnessServer> =>
  HarnessServer.start({
    port,
    data,
    tokenPaceMs: 0,
    env: {},
    log: (level, message, fields) => level === 'error' && logged.push({ message, fields }),
  })

const ask = async (at: string, id: string, text: string) => {
  const steps = [{ text, chunks: 4 }, { checkpoint: 'a step' }]
  expect((await post(`${at}/agents/scripted/${id}`, scriptBody(...steps))).status).toBe(200)
}
const lastId = async (at: string, id: string) => (await get(`${at}/sessions/${id}`)).body.lastEventId as string
const seqOf = (id: string) => Number(/^ev-(\d+)/.exec(id)?.[1])

/** Events that the clients of a session received since the last reset. */
const sinceReset = (events: readonly AgentEvent[]) =>
  events.slice(events.findLastIndex(({ type }) => type === 'reset') + 1)
const frontend = async (id: string, after: string, state: FrontendState) => {
  const frames = await collectFrames<{ id: string | null; raw: string; data: never }>(
    await fetch(`${url}/sessions/${id}/events/stream?after=${after}`),
    [],
    (read) => {
      const { type, payload } = (read.at(-1)?.data ?? {}) as { type?: string; payload?: { status?: string } }
      return type === 'session_state' && payload?.status === 'idle' && seqOf(`ev-${read.at(-1)?.id}`) >= heads[id]! - 1
    },
  )
  return { frames, state: frames.map(({ data }) => data).reduce(reduceFrontend, state) }
}

const firstMessage = (query: string): Promise<{ type: string; seq: number }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?${query}`)
    socket.onerror = reject
    socket.onmessage = ({ data }) => {
      resolve(JSON.parse(String(data)))
      socket.close()
    }
  })

const feeds = new Map<string, AgentEvent[]>()
const sockets = new Map<string, AgentEvent[]>()
const frontends = new Map<string, FrontendState>()
const clients = new Map<string, HarnessClient>()
const heads: { [id: string]: number } = {}
const old: { [id: string]: string } = {}
const leave = new AbortController()
const closers: (() => void)[] = []
const opened: { [id: string]: number } = {}

const turnsIn = (events: readonly AgentEvent[] = []) => events.filter(({ type }) => type === 'idle').length

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-lost-'))
  server = await start(join(folder, 'whole'))
  url = server.url
  for (let turn = 0; turn < 3; turn++) for (const id of SESSIONS) await ask(url, id, `before ${turn} of ${id}`)

  for (const id of SESSIONS) {
    old[id] = await lastId(url, id)
    heads[id] = seqOf(old[id])
    const told: AgentEvent[] = []
    feeds.set(id, told)
    const feed = fabricClient({ url }).events(null, id, {
      signal: leave.signal,
      backoffMs: { first: 20, longest: 60 },
      onOpen: () => (opened[id] = (opened[id] ?? 0) + 1),
    })
    void (async () => {
      for await (const event of feed) told.push(event)
    })().catch(() => {})
    const heard: AgentEvent[] = []
    sockets.set(id, heard)
    const socket = connectFabricWs({
      url: `${url.replace('http', 'ws')}/sessions/${id}/ws`,
      after: '0',
      reconnect: BACKOFF,
      onEvent: (event) => heard.push(event),
    })
    const client = new HarnessClient({
      url: `${url.replace('http', 'ws')}/ws?sessionId=${id}`,
      schedule: 'sync',
      backoff: BACKOFF,
    })
    clients.set(id, client)
    closers.push(
      () => socket.close(),
      () => client.close(),
    )
    frontends.set(id, (await frontend(id, '0', emptyFrontendState)).state)
  }
  await vi.waitFor(() => {
    for (const id of SESSIONS)
      expect([turnsIn(feeds.get(id)), turnsIn(sockets.get(id)), clients.get(id)?.connection.phase]).toEqual([
        3,
        3,
        'open',
      ])
  }, 20_000)

  // As kill -9 would leave it, with one bit flipped in the middle of the write-ahead log.
  const data = join(folder, 'damaged')
  cpSync(join(folder, 'whole'), data, { recursive: true, filter: (name) => !/lock|owner/.test(name) })
  const wal = readFileSync(join(data, 'bridle.sqlite-wal'))
  wal[32 + Math.floor(((wal.length - 32) / 4120) * 0.5) * 4120 + 900]! ^= 1
  writeFileSync(join(data, 'bridle.sqlite-wal'), wal)
  copyFileSync(join(data, 'bridle.sqlite-wal'), join(folder, 'evidence'))
  const { port } = new URL(url)
  await server.close()

  // Out of the clients' sight every session grows past what they have seen.
  const elsewhere = await start(data)
  noticed = [(await fetch(`${elsewhere.url}/ready`)).status, await (await fetch(`${elsewhere.url}/metrics`)).text()]
  for (const id of SESSIONS) for (let turn = 0; turn < 4; turn++) await ask(elsewhere.url, id, `after ${turn} of ${id}`)
  for (const id of SESSIONS) {
    const grown = seqOf(await lastId(elsewhere.url, id))
    expect(grown).toBeGreaterThan(heads[id]!)
    heads[id] = grown
  }
  await elsewhere.close()
  server = await start(data, Number(port))
}, 60_000)

afterAll(async () => {
  leave.abort()
  for (const close of closers) close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('[O32] the log names what is missing, once; a copy is kept; /metrics and /ready stay of use', async () => {
  expect(logged.filter(({ message }) => message === 'acknowledged commits are missing')).toEqual([
    {
      message: 'acknowledged commits are missing',
      fields: {
        file: join(folder, 'damaged', 'bridle.sqlite-wal'),
        framesUsed: expect.any(Number),
        commitsLost: expect.any(Number),
        reason: expect.stringMatching(/^frame \d+ is damaged or missing$/),
        copy: join(folder, 'damaged', 'bridle.sqlite-wal.damaged'),
        incarnation: 2,
      },
    },
  ])
  expect(readFileSync(join(folder, 'damaged', 'bridle.sqlite-wal.damaged'))).toEqual(
    readFileSync(join(folder, 'evidence')),
  )
  expect(existsSync(join(folder, 'damaged', 'bridle.sqlite-wal.noticed'))).toBe(false)
  expect(noticed).toEqual([200, expect.stringMatching(/^bridle_lost_commits [1-9]\d*$/m)])
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nbridle_lost_commits 0\n')
})

describe('three clients of each wire, one for each session', () => {
  test.each([
    ['[H40] server-sent events', feeds],
    ['[W23] the Fabric socket', sockets],
  ])('%s', async (_name, told) => {
    for (const id of SESSIONS) {
      const whole = await readFrames(
        `${url}/sessions/${id}/events`,
        (frames) => seqOf(String(frames.at(-1)?.data.id)) >= heads[id]! - 1 && frames.at(-1)?.data.type === 'idle',
      )
      await expect.poll(() => sinceReset(told.get(id) ?? []).length).toBe(whole.length)
      expect(sinceReset(told.get(id) ?? [])).toEqual(whole.map(({ data }) => data))
      expect(told.get(id)?.filter(({ type }) => type === 'reset')).toHaveLength(1)
      expect(whole.every(({ id: frame, data }) => data.id === `ev-${frame}` && /^\d+~2$/.test(String(frame)))).toBe(
        true,
      )
    }
  })

  test('[T21] the transport', async () => {
    for (const id of SESSIONS) {
      const { messages } = (await get(`${url}/sessions/${id}`)).body as { messages: { content: string }[] }
      await expect.poll(() => clients.get(id)?.getSnapshot().messages).toEqual(messages)
      expect(messages.map(({ content }) => content)).toContain(`after 3 of ${id}`)
      expect(clients.get(id)?.connection.resyncs).toBe(0)
      // A bare number is of the first incarnation, also where it is the very number that the log stands at.
      const first = await firstMessage(`sessionId=${id}`)
      expect(first).toMatchObject({ type: 'state', incarnation: 2 })
      expect(await firstMessage(`sessionId=${id}&after=${first.seq}`)).toEqual(first)
      expect(await firstMessage(`sessionId=${id}&after=${first.seq}~3`)).toEqual(first)
      const { seq } = first
      expect(await firstMessage(`sessionId=${id}&after=${seq}~2`)).toEqual({
        type: 'delta',
        operations: [],
        seq,
        prev: seq,
      })
    }
  })

  test('[F31] the frontend contract', async () => {
    for (const id of SESSIONS) {
      const seen = frontends.get(id)!
      expect([frontendCursor(seen), seen.incarnation]).toEqual([String(seen.seq), 1])
      const { frames, state } = await frontend(id, frontendCursor(seen), seen)
      expect(frames[0]?.data).toMatchObject({ type: 'session', seq: 0, payload: { reset: true } })
      const { state: fresh } = await frontend(id, '0', emptyFrontendState)
      expect(state).toEqual(fresh)
      expect(frontendCursor(state)).toMatch(/^\d+~2$/)
      // From there the client continues, and receives nothing twice.
      await ask(url, id, 'and on')
      heads[id] = seqOf(await lastId(url, id))
      const more = await frontend(id, frontendCursor(state), state)
      expect(more.frames[0]?.data).not.toMatchObject({ payload: { reset: true } })
      expect(more.frames.slice(1).every(({ data }) => (data as { seq: number }).seq > state.seq)).toBe(true)
      expect(more.state.turns).toHaveLength(fresh.turns.length + 1)
    }
  })
})

test('[S34] our own clients go on from a later incarnation without another reset', async () => {
  for (const id of SESSIONS) await ask(url, id, 'once more')
  const { port } = new URL(url)
  await server.close()
  server = await start(join(folder, 'damaged'), Number(port))
  for (const id of SESSIONS) {
    await ask(url, id, 'the last')
    for (const told of [feeds, sockets]) {
      await expect.poll(() => JSON.stringify(told.get(id)).includes('the last')).toBe(true)
      expect(told.get(id)?.filter(({ type }) => type === 'reset')).toHaveLength(1)
      const ids = sinceReset(told.get(id) ?? []).map((event) => seqOf(event.id))
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other))
    }
    const { messages } = (await get(`${url}/sessions/${id}`)).body as { messages: unknown }
    await expect.poll(() => clients.get(id)?.getSnapshot().messages).toEqual(messages)
  }
})

test('[H41] other places that name an event', async () => {
  const id = 'one'
  const other = async (path: string, body?: unknown) =>
    body === undefined ? get(`${url}${path}`) : post(`${url}${path}`, body)
  const { lastEventId } = (await other(`/sessions/${id}`)).body as { lastEventId: string }
  expect(lastEventId).toMatch(/^ev-\d+~2$/)
  const { sessions } = (await other('/sessions')).body as { sessions: { lastEventId: string }[] }
  expect(sessions.map((each) => /~2$/.test(each.lastEventId))).toEqual([true, true, true])

  // The timeline pages with the incarnation, and begins again for a page of another one.
  const first = (await other(`/agents/scripted/${id}?limit=10`)).body as { next: string; events: AgentEvent[] }
  expect(first.next).toBe('10~2')
  const second = (await other(`/agents/scripted/${id}?limit=10&after=${first.next}`)).body as typeof first
  expect(second.next).toBe('20~2')
  expect(seqOf(String(second.events[0]?.id))).toBeGreaterThan(10)
  const again = (await other(`/agents/scripted/${id}?limit=10&after=10`)).body as typeof first & { reset: boolean }
  expect([again.reset, again.next]).toEqual([true, '10~2'])

  // Also what was written in the first incarnation is named in the present one.
  const { resume_points: points, checkpoints } = (await other(`/chat/sessions/${id}`)).body as {
    resume_points: { event_id: string; resume_cursor: string }[]
    checkpoints: { event_id: string; resume_cursor: string }[]
  }
  for (const point of [...points, ...checkpoints]) {
    expect(point.event_id).toMatch(/^ev-\d+~2$/)
    expect(point.resume_cursor).toMatch(/^[a-z_]+:one:\d+~2$/)
  }

  const point = points[0]!
  const branch = (body: object) => other(`/chat/sessions/${id}/branch`, body)
  expect((await branch({ from_event_id: point.event_id.replace('~2', '') })).status).toBe(400)
  expect((await branch({ resume_cursor: point.resume_cursor.replace('~2', '') })).status).toBe(400)
  expect((await branch({ from_event_id: seqOf(point.event_id) })).status).toBe(400)
  const made = await branch({ resume_cursor: point.resume_cursor, session_id: 'child' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    branch_source_event_id: point.event_id,
    branch_resume_cursor: point.resume_cursor,
    lastEventId: expect.stringMatching(/^ev-\d+~2$/),
  })
  // The parent's cursor is good in the child, and one of another incarnation is not.
  const greeting = async (cursor: string) =>
    (
      await readFrames(`${url}/sessions/child/events/stream?resume_cursor=${cursor}`, (frames) => frames.length === 1)
    )[0]
  expect((await greeting(point.resume_cursor))?.data).toMatchObject({ seq: seqOf(point.event_id) })
  expect((await greeting(point.resume_cursor.replace('~2', '')))?.data).toMatchObject({ payload: { reset: true } })
})
