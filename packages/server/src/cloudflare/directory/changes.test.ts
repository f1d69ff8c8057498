// The changes of a tenant in the real runtime: the directory object sends them, also after it slept.

import { type ChangesHandle, type ChangesOptions, connectChanges, type TenantChange } from '@bridle/client/index'
import { UNREAD_BYTES_MAX } from '@bridle/surfaces/changes/bounded-reader'
import { bearer, collectFrames, get, post, type SseFrame, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestSocket, upgradeAnswer } from '../../tests/socket-client.suite.ts'
import { hibernateDirectory, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const tokens = [
  { token: 'op' },
  { token: 'ann', user: 'ann', tenants: ['acme'] },
  { token: 'bob', user: 'bob', tenants: ['acme'] },
  { token: 'zoe', user: 'zoe', tenants: ['umbrella'] },
]
const vars = { TEST_OPTIONS: JSON.stringify({ tokens }), BRIDLE_SECRET: 'a secret of this test, which is long enough' }
const acme = { 'x-fabric-tenant': 'acme' }
const waitFor = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 10_000, interval: 20 })

const handles: ChangesHandle[] = []
afterEach(() => {
  for (const handle of handles.splice(0)) handle.close()
})

const readerOf = (changes: readonly TenantChange[]) => ({
  changes,
  types: () => changes.map(({ type }) => type),
  sessions: () => new Set(changes.flatMap((change) => (change.type === 'session' ? [change.session.id] : []))),
  find: <T extends TenantChange['type']>(type: T) =>
    changes.find((change): change is Extract<TenantChange, { type: T }> => change.type === type),
})
const connect = async (
  world: WorkerdProcess,
  authToken: string,
  tenantId: string,
  options: Partial<ChangesOptions> = {},
) => {
  const changes: TenantChange[] = []
  const backoff = { firstMs: 20, longestMs: 100 }
  const onChange = (change: TenantChange) => void changes.push(change)
  const handle = connectChanges({ url: world.url, authToken, tenantId, backoff, onChange, ...options })
  handles.push(handle)
  await waitFor(() => expect(handle.phase).toBe('open'))
  return readerOf(changes)
}
const begin = ({ url }: WorkerdProcess, id: string, headers: Record<string, string>, ...steps: unknown[]) =>
  post(`${url}/agents/scripted/${id}`, scriptBody(...steps), { ...headers, prefer: 'respond-async' })

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  beforeAll(async () => {
    world = await startTestWorker({ vars })
  })
  afterAll(() => world?.dispose())

  test('[F58] [F54] readers of two tenants get their sessions, by socket and by stream, and the object may sleep', async () => {
    const op = await connect(world, 'op', 'acme')
    const ann = await connect(world, 'ann', 'acme')
    const bob = await connect(world, 'bob', 'acme')
    const leave = new AbortController()
    const headers = { ...bearer('zoe'), 'x-fabric-tenant': 'umbrella' }
    const response = await fetch(`${world.url}/changes`, { headers, signal: leave.signal })
    const frames: (Pick<SseFrame, 'id' | 'raw'> & { readonly data: TenantChange })[] = []
    void collectFrames(response, frames, () => false)
    const zoe = () => readerOf(frames.map(({ data }) => data))
    await waitFor(() => expect(zoe().changes).toEqual([{ type: 'ready' }]))
    await Promise.all([
      begin(
        world,
        'a1',
        { ...bearer('ann'), ...acme },
        { approve: 'write', args: { path: 'a.txt' } },
        { text: 'done' },
      ),
      begin(world, 'b1', { ...bearer('bob'), ...acme }, { text: 'b' }),
      begin(world, 'z1', bearer('zoe'), { text: 'z' }),
      begin(world, 'shared', { ...bearer('op'), ...acme }, { text: 's' }),
    ])
    await waitFor(() => {
      expect(op.sessions()).toEqual(new Set(['a1', 'b1', 'shared']))
      expect(ann.sessions()).toEqual(new Set(['a1', 'shared']))
      expect(bob.sessions()).toEqual(new Set(['b1', 'shared']))
      expect(zoe().sessions()).toEqual(new Set(['z1']))
      expect(ann.find('approval')?.approval).toMatchObject({ sessionId: 'a1', toolName: 'write' })
    })
    expect(op.find('session')?.session).toMatchObject({ engine: 'scripted', runner_kind: 'in_process' })
    const slept = [op, ann, bob].map((reader) => reader.changes.length)

    // Nothing happens for a while: the object sleeps, and its sockets stay.
    await waitFor(() => hibernateDirectory(world, 'acme'))
    const id = ann.find('approval')?.approval.id
    await post(`${world.url}/sessions/a1/approvals/${id}/reject`, { actor: 'bob' }, { ...bearer('op'), ...acme })
    await waitFor(() => {
      for (const reader of [op, ann])
        expect(reader.find('approval_closed')).toMatchObject({
          id,
          session_id: 'a1',
          status: 'denied',
          decidedBy: 'bob',
        })
    })
    await hibernateDirectory(world, 'acme')
    await fetch(`${world.url}/agents/scripted/b1`, { method: 'DELETE', headers: { ...bearer('bob'), ...acme } })
    await waitFor(() => {
      for (const reader of [op, bob])
        expect(reader.find('session_removed')).toEqual({ type: 'session_removed', session_id: 'b1', agent: 'scripted' })
    })
    for (const [index, reader] of [op, ann, bob].entries())
      expect(reader.types().lastIndexOf('ready')).toBeLessThan(slept[index] ?? 0)
    expect(bob.find('approval')).toBeUndefined()
    expect(ann.find('session_removed')).toBeUndefined()
    expect(zoe().sessions()).toEqual(new Set(['z1']))
    leave.abort()
  })

  test('[F54] a ticket for one session and a wrong credential open nothing', async () => {
    const ticket = async (body: object) =>
      String((await post(`${world.url}/tickets`, body, { ...bearer('op'), ...acme })).body.ticket)
    const upgrade = async (text: string) => (await upgradeAnswer(`${world.url}/changes/ws?ticket=${text}`)).status
    expect(await upgrade(await ticket({}))).toBe(101)
    expect(await upgrade(await ticket({ sessionId: 'a1' }))).toBe(404)
    expect(await upgrade('wrong')).toBe(401)
    expect((await get(`${world.url}/changes`)).status).toBe(401)
    expect((await get(`${world.url}/changes?ticket=${await ticket({ sessionId: 'a1' })}`)).status).toBe(404)
  })

  test('[F56] a socket that does not say that it has read misses changes, and gets ready when it says so', async () => {
    const line = await openTestSocket(`${world.url}/changes/ws?tenant=acme&marks=1`, { headers: bearer('op') })
    const messages = line.messages as unknown as { readonly type: string; readonly seq?: number }[]
    const args = { text: 'x'.repeat(15_000) }
    const start = (id: string) => begin(world, id, { ...bearer('op'), ...acme }, { approve: 'write', args })
    const readChars = () => messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
    for (let count = 0; count < 60 && readChars() < UNREAD_BYTES_MAX; count++) await start(`large-${count}`)
    await start('missed')
    await waitFor(async () => {
      const { body } = await get(`${world.url}/approvals?limit=100`, { ...bearer('op'), ...acme })
      expect((body.approvals as { sessionId: string }[]).map(({ sessionId }) => sessionId)).toContain('missed')
    })
    const { seq } = messages.findLast(({ type }) => type === 'mark') ?? {}
    line.say({ type: 'seen', seq })
    await waitFor(() => expect(messages.filter(({ type }) => type === 'ready')).toHaveLength(2))
    line.ws.terminate()
  })
})

test.skipIf(noTools)('[F58] a tenant with three directory objects has one stream, also after a restart', async () => {
  let world = await startTestWorker({ vars: { ...vars, BRIDLE_DIRECTORY_SHARDS: '3' } })
  const ids = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  const start = (id: string) => begin(world, id, { ...bearer('op'), ...acme }, { text: id })
  try {
    const first = await connect(world, 'op', 'acme')
    await Promise.all(ids.slice(0, 5).map(start))
    await waitFor(() => expect(first.sessions()).toEqual(new Set(ids.slice(0, 5))))
    for (const index of [1, 2]) await waitFor(() => hibernateDirectory(world, `acme/3/${index}`))
    const { folder } = world
    await world.kill()
    world = await startTestWorker({ folder, vars: { ...vars, BRIDLE_DIRECTORY_SHARDS: '3' } })
    // Objects that relayed before the crash find that nobody reads, and begin again with the next reader.
    await start('six')
    const second = await connect(world, 'op', 'acme')
    await Promise.all(['seven', 'one', 'two'].map(start))
    await waitFor(() => expect([...second.sessions()]).toEqual(expect.arrayContaining(['seven', 'one', 'two'])))
    expect(second.types()[0]).toBe('ready')
  } finally {
    await world.dispose()
  }
})
