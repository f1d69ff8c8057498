// Agents that ask another agent in the real runtime: parent and child are two objects, and each may end its life at any moment.

import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evict, hasAlarm, readLedger, reset, startTestWorker } from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'

const CHILD = 'foreman.mover'

describe.skipIf(noTools)('subagents in workerd', () => {
  let world: WorkerdProcess
  beforeAll(async () => {
    world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify({ watchdogMs: 500 }) } })
  })
  afterAll(() => world?.dispose())

  const start = async (id: string) =>
    post(`${world.url}/agents/foreman/${id}`, { prompt: id }, { prefer: 'respond-async', 'idempotency-key': id })
  const session = async (id: string) => (await get(`${world.url}/sessions/${id}`)).body
  interface Question {
    readonly id: string
    readonly sessionId: string
  }
  const pending = async (): Promise<readonly Question[]> =>
    ((await get(`${world.url}/approvals?status=pending`)).body as unknown as { approvals: Question[] }).approvals
  const named = async (id: string): Promise<readonly Question[]> => (await session(id)).approvals as never
  const childrenOf = async (id: string): Promise<{ session_id: string; status: string }[]> =>
    (await session(id)).subagents as never
  const approveAll = async () => {
    for (const { id, sessionId } of await pending())
      await post(`${world.url}/sessions/${sessionId}/approvals/${id}/approve`, {})
  }

  test('[N125] [N126] [N132] [S76] [S77] a child is another object; both rest while a person thinks, and go on in other lives', async () => {
    const ids = ['s1', 's2', 's3']
    for (const id of ids) expect((await start(id)).status).toBe(202)
    await expect.poll(async () => (await pending()).length, { timeout: 15_000 }).toBe(6)
    for (const id of ids) await expect.poll(() => hasAlarm(world, id, 'foreman'), { timeout: 10_000 }).toBe(false)
    for (const [index, { sessionId }] of (await pending()).entries())
      await (index % 2 === 0 ? evict : reset)(world, sessionId, CHILD)
    await evict(world, 's1', 'foreman')
    await reset(world, 's2', 'foreman')
    // The parents, in lives of their own by now, name what their children ask; each takes the answer of one.
    for (const id of ids) await expect.poll(async () => (await named(id)).length, { timeout: 15_000 }).toBe(2)
    for (const id of ids) {
      const [first] = await named(id)
      const path = `${world.url}/sessions/${id}/approvals/${first?.id}`
      expect((await post(`${path}/approve`, {})).status).toBe(200)
      expect((await post(`${path}/reject`, {})).status).toBe(409)
      expect(await named(id)).toHaveLength(1)
    }
    expect(await pending()).toHaveLength(3)
    await approveAll()
    for (const id of ids) {
      await expect.poll(async () => (await named(id)).length, { timeout: 15_000 }).toBe(0)
      await expect.poll(async () => (await session(id)).status, { timeout: 20_000 }).toBe('idle')
      const { messages } = (await session(id)) as unknown as { messages: { content: string }[] }
      expect(messages.at(-1)?.content).toBe(`Moved ${id}/desk. Moved ${id}/bed.`)
      const children = await childrenOf(id)
      expect(children.map(({ status }) => status)).toEqual(['completed', 'completed'])
      const ledgers = await Promise.all(children.map((child) => readLedger(world, child.session_id)))
      expect(ledgers.flat().toSorted()).toEqual(
        ['move', 'pack'].flatMap((deed) => ['bed', 'desk'].map((thing) => `${deed} ${id}/${thing}`)),
      )
    }
  })

  test('[N127] a cancelled parent cancels the objects of its children', async () => {
    expect((await start('c1')).status).toBe(202)
    await expect.poll(async () => (await pending()).length, { timeout: 15_000 }).toBe(2)
    const children = await childrenOf('c1')
    expect((await post(`${world.url}/sessions/c1/cancel`, {})).status).toBeLessThan(300)
    for (const { session_id } of children)
      await expect.poll(async () => (await session(session_id)).status, { timeout: 15_000 }).toBe('cancelled')
    await expect
      .poll(async () => (await childrenOf('c1')).map(({ status }) => status))
      .toEqual(['cancelled', 'cancelled'])
  })
})
