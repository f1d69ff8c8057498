// Due work without a request, in the real runtime: the object is evicted, and only its alarm brings it back.

import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isThorough } from '../../../../../scripts/variants.ts'
import { openTestSocket, type TestSocket } from '../../tests/socket-client.suite.ts'
import { evict, hasAlarm, incarnation, reset, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  /** From the directory: the object is not asked. */
  const statusOf = async (id: string) => {
    const { sessions } = (await get(`${world.url}/sessions`)).body as { sessions: { id: string; status: string }[] }
    return sessions.find((session) => session.id === id)?.status
  }
  const start = async (id: string, body: object) => {
    const { status } = await post(`${world.url}/sessions`, { session_id: id, engine: 'scripted', ...body })
    expect(status).toBe(202)
  }
  const goneThen = async (id: string, before: string, after: string) => {
    await expect.poll(() => statusOf(id)).toBe(before)
    const life = await incarnation(world, id)
    // Asleep by `evict` it would be only once no timer runs.
    await reset(world, id)
    await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe(after)
    expect(await incarnation(world, id)).not.toBe(life)
    return (await get(`${world.url}/sessions/${id}`)).body
  }

  beforeAll(async () => {
    // Heartbeats are for sockets: the other tests have none.
    world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify({ heartbeatMs: 100, deadAfterMs: 800 }) } })
  })
  afterAll(() => world?.dispose())

  test('[CF3] a retry starts', async () => {
    await start('retry', { max_retries: 1, ...scriptBody({ fail: 'not now', transient: true }) })
    const after = await goneThen('retry', 'recovering', 'failed')
    expect(after).toMatchObject({ attempt_count: 2, last_error: 'not now' })
  })

  test('[CF3] work that was to be done by then expires', async () => {
    const asks = scriptBody({ approve: 'write', id: 'c1', args: {}, reason: 'asks' })
    await start('late', { expires_at: new Date(Date.now() + 2_000).toISOString(), ...asks })
    await goneThen('late', 'awaiting_approval', 'failed')
  })

  test('[CF3] an approval expires, and the run goes on without it', async () => {
    const asks = { approve: 'write', id: 'c1', args: {}, reason: 'asks', expiresMs: 2_000 }
    await start('unanswered', scriptBody(asks, { text: 'done' }))
    await goneThen('unanswered', 'awaiting_approval', 'completed')
  })

  test('[CF25] heartbeats come from an object that sleeps; whoever is silent is closed, pings and messages are signs of life', async () => {
    await post(`${world.url}/agents/scripted/beats`, scriptBody({ text: 'here' }))
    const life = await incarnation(world, 'beats')
    const paths = ['/sessions/beats/ws', '/sessions/beats/ws', '/sessions/beats/ws', '/ws?sessionId=beats']
    const [silent, pinging, talking, bare] = (await Promise.all(
      paths.map((path) => openTestSocket(`${world.url}${path}`)),
    )) as [TestSocket, TestSocket, TestSocket, TestSocket]
    // The platform answers this ping without the object, with time 0.
    const own = ({ messages }: TestSocket) => messages.filter((each) => each.type === 'pong' && each.ts > 0).length
    const signs = [
      setInterval(() => pinging.say('{"type":"ping"}'), 100),
      setInterval(() => talking.say({ type: 'pong' }), 100),
    ]
    silent.say({ type: 'pong' })
    for (const each of [silent, pinging, talking])
      await expect.poll(() => own(each), { timeout: 5_000 }).toBeGreaterThan(0)
    await evict(world, 'beats')
    const before = own(pinging)
    expect(await silent.closed).toMatchObject({ code: 4009 })
    await expect.poll(() => own(pinging), { timeout: 5_000 }).toBeGreaterThan(before + 2)
    expect(await incarnation(world, 'beats')).not.toBe(life)
    for (const each of [pinging, talking, bare]) expect(each.ws.readyState).toBe(each.ws.OPEN)
    expect(bare.messages.map(({ type }) => type as string)).toEqual(['state'])
    for (const sign of signs) clearInterval(sign)
    for (const { ws } of [pinging, talking, bare]) ws.close()
  })
})

describe.skipIf(noTools || !isThorough)('in workerd, without a setting', () => {
  test('[CF25] [W14] heartbeats come while a run is at work, and leave no alarm behind', async () => {
    const world = await startTestWorker()
    try {
      await post(`${world.url}/agents/scripted/working`, scriptBody({ text: 'here' }))
      const socket = await openTestSocket(`${world.url}/sessions/working/ws`)
      const beats = () => socket.messages.filter(({ type }) => type === 'pong').length
      expect([await hasAlarm(world, 'working'), beats()]).toEqual([false, 0])
      const run = post(
        `${world.url}/agents/scripted/working`,
        scriptBody({ text: 'x'.repeat(36), chunks: 36, everyMs: 1_000 }),
      )
      await expect.poll(beats, { timeout: 40_000 }).toBe(2)
      expect((await run).status).toBe(200)
      await expect.poll(() => hasAlarm(world, 'working')).toBe(false)
      expect(beats()).toBe(2)
      socket.ws.close()
    } finally {
      await world.dispose()
    }
  })
})
