// The socket's protocol without a network: a fake far end, a clock moved by hand, a real session behind.
import { createHash } from 'node:crypto'
import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { LISTENER_BYTES_MAX } from '@bridle/events/limits'
import type { Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import type { FabricAck, FabricClientMessage, FabricServerMessage } from '@bridle/wire/fabric/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Scope } from '../http/access/authenticate.ts'
import { scriptBody } from '../http/test-client.suite.ts'
import { FakeFabricSocket, type FakeFabricSocketOptions } from './connection.suite.ts'

const key: Key = { tenant: 'acme', agent: 'scripted', id: 's1' }
const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
const wallClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let host: Host
let directory: Directory
beforeEach(() => {
  const store = memoryStore()
  const { log } = store
  directory = store.directory
  const runner = scriptedRunner({ clock: wallClock, digest })
  host = new Host({ log, directory, clock: wallClock, digest, tokenPaceMs: 0, runner: () => runner })
})
afterEach(() => host.stop())

describe('[W9] cancel { taskId }', () => {
  const task = (agent_id: string, status = 'started') => ({
    event: { type: 'subagent_event', payload: { agent_id, status } },
  })

  test('stops that task alone, where the engine can', async () => {
    const started = await submit(task('sub-1'), task('sub-2'), task('sub-3'), task('sub-3', 'stopped'), {
      approve: 'write',
    })
    const session = await settled(started, ({ state }) => Object.keys(state.approvals.open).length > 0)
    const stopped: string[] = []
    const engine = {
      send: host.send.bind(host),
      stopTask: async (_key: unknown, taskId: string) => {
        stopped.push(taskId)
        return taskId === 'sub-2'
      },
    }
    const [first, second] = [await live(session, { host: engine }), await live(session, { host: engine })]
    await first.say({ type: 'cancel', taskId: 'sub-2', commandId: 'c-1' })
    await second.say({ type: 'cancel', taskId: 'sub-1' })
    await second.say({ type: 'cancel', taskId: 'sub-3' })
    expect(first.acks()).toEqual([{ type: 'ack', for: 'cancel', ok: true, commandId: 'c-1' }])
    expect(second.acks()).toEqual([
      { type: 'ack', for: 'cancel', ok: false, message: 'This engine cannot stop a single task; cancel its run.' },
      { type: 'ack', for: 'cancel', ok: true, message: 'The task is over already.' },
    ])
    expect(stopped).toEqual(['sub-2', 'sub-1'])
    expect(session.state.lifecycle.run?.phase).toBe('started')
  })

  test('stops a session that was started below this one, and no other', async () => {
    const parent = await waiting()
    const below = (id: string) => ({ ...parent.key, id })
    const opening = { kind: 'background', parentSessionId: parent.key.id } as const
    for (const id of ['child-1', 'child-2'])
      await host.send(below(id), { type: 'submit', ...scriptBody({ approve: 'go' }), opening })
    await host.send(below('stranger'), { type: 'submit', ...scriptBody({ approve: 'go' }) })
    const runOf = async (id: string) => (await host.find(below(id)))?.state.lifecycle.run ?? null
    while ((await runOf('child-2')) === null) await new Promise(setImmediate)
    const line = await live(parent, { directory })
    await line.say({ type: 'cancel', taskId: 'child-1', reason: 'enough' })
    await line.say({ type: 'cancel', taskId: 'stranger' })
    expect(line.acks()).toMatchObject([{ ok: true }, { ok: false, message: unknownTask }])
    while ((await runOf('child-1')) !== null) await new Promise(setImmediate)
    expect([await runOf('child-2'), await runOf('stranger'), parent.state.lifecycle.run]).not.toContain(null)
  })

  test('stops no session of another user, though it was started below this one', async () => {
    const parent = await waiting()
    const key = { ...parent.key, id: 'child' }
    const opening = { kind: 'background', parentSessionId: parent.key.id } as const
    await host.send(key, { type: 'submit', ...scriptBody({ approve: 'go' }), opening, owner: 'user:ada' })
    const child = await settled(await host.open(key), ({ state }) => Object.keys(state.approvals.open).length > 0)
    const [bo, ada] = [await live(parent, { directory, user: 'bo' }), await live(parent, { directory, user: 'ada' })]
    await bo.say({ type: 'cancel', taskId: 'child' })
    expect(bo.acks()).toMatchObject([{ ok: false }])
    expect(child.state.lifecycle.run?.phase).toBe('started')
    await ada.say({ type: 'cancel', taskId: 'child' })
    expect(ada.acks()).toMatchObject([{ ok: true }])
  })
})

describe('what went before', () => {
  test.each<[string, number | null, string[]]>([
    ['nothing', 6, ['replay-end']],
    ['everything', 0, ['prompt_start', 'text_delta', 'result', 'idle', 'replay-end']],
    ['what is behind a cursor', -3, ['result', 'idle', 'replay-end']],
    ['a reset and everything', null, ['reset', 'prompt_start', 'text_delta', 'result', 'idle', 'replay-end']],
  ])('[W5] [W6] [W7] replays %s', async (_name, since, expected) => {
    const session = await played({ text: 'Hi' })
    const { head } = session.state
    const from = since === null || since === 0 ? since : since > 0 ? head : (await seqOf(session, 'completed')) - 1
    const line = open(session, { since: from })
    await line.until('replay-end')
    expect(line.types()).toEqual(expected)
    expect(line.sent.at(-1)).toEqual({ type: 'replay-end', cursor: `ev-${head}` })
  })

  test('[W6] events committed during a replay come after it, once and in order', async () => {
    const session = await played({ text: 'one' })
    const line = open(session, { since: 0 })
    await host.send(key, { type: 'submit', ...scriptBody({ text: 'two' }) })
    await line.until('idle', 2)
    const ids = line.sent.flatMap((message) => (message.type === 'event' ? [Number(message.event.id.slice(3))] : []))
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(line.types().filter((type) => type !== 'replay-end')).toHaveLength(8)
    expect(line.types().filter((type) => type === 'replay-end')).toHaveLength(1)
  })

  test('live, all sockets get the same array, so that it is encoded once', async () => {
    const session = await played({ text: 'one' })
    const lines = [open(session), open(session)]
    for (const line of lines) await line.until('replay-end')
    const before = lines.map((line) => line.batches.length)
    await host.send(key, { type: 'submit', ...scriptBody({ text: 'two' }) })
    for (const line of lines) await line.until('idle')
    const [first, second] = lines.map((line, index) => line.batches.slice(before[index]))
    expect(first?.length).toBeGreaterThan(0)
    expect(first?.every((batch, index) => batch === second?.[index])).toBe(true)
  })
})

describe('messages', () => {
  test.each<[string, string | null]>([
    ['not JSON', 'hello'],
    ['empty', ''],
    ['binary', null],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['no type', '{}'],
    ['an unknown type', '{"type":"dance"}'],
    ['a type that every object has', '{"type":"__proto__"}'],
    ['a cancel without a task', '{"type":"cancel"}'],
    ['a cancel of a number', '{"type":"cancel","taskId":7}'],
    ['a decision that is none', '{"type":"approve","approvalId":"a","decision":"maybe"}'],
    ['arguments that are none', '{"type":"approve","approvalId":"a","decision":"approved","args":[]}'],
    ['a command id that is none', '{"type":"cancel","taskId":"s1","commandId":"a b"}'],
    ['a ping with a text', '{"type":"ping","ts":"now"}'],
    ['deep nesting', `{"type":"ping","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ])('[W13] %s gets one error and the socket stays', async (_name, text) => {
    const line = await live()
    await line.receiver.onMessage(text)
    await line.receiver.onMessage('{"type":"ping","ts":5,"more":true}')
    expect(line.types()).toEqual(['error', 'pong'])
    expect(line.end).toBeNull()
  })

  test.each<[FabricClientMessage, FabricServerMessage[]]>([
    [{ type: 'ping', ts: 42 }, [{ type: 'pong', ts: 42 }]],
    [{ type: 'ping' }, [{ type: 'pong', ts: 1_000 }]],
    [{ type: 'pong', ts: 42 }, []],
    [{ type: 'seen', seq: 1 }, []],
    [{ type: 'seen', seq: Number.MAX_SAFE_INTEGER }, []],
  ])('[W14] [W21] %j', async (message, expected) => {
    const line = await live()
    await line.say(message)
    expect(line.sent).toEqual(expected)
  })
})

describe('commands', () => {
  test.each<[string, FabricClientMessage, FabricServerMessage]>([
    ['[W9] the session', { type: 'cancel', taskId: 's1' }, ack('cancel', true)],
    ['[W9] its run', { type: 'cancel', taskId: 'r-2' }, ack('cancel', true)],
    ['[W9] a queued run', { type: 'cancel', taskId: 'RUN' }, ack('cancel', true)],
    ['[W9] an unknown run', { type: 'cancel', taskId: 'r-1' }, ack('cancel', false, unknownTask)],
    ['[W9] an unknown id', { type: 'cancel', taskId: '__proto__' }, ack('cancel', false, unknownTask)],
    [
      '[W9] a task',
      { type: 'cancel', taskId: 'sub-1' },
      ack('cancel', false, 'This engine cannot stop a single task; cancel its run.'),
    ],
    [
      '[W10] an unknown approval',
      { type: 'approve', approvalId: 'apr-999', decision: 'denied' },
      ack('approve', false, 'There is no such approval.'),
    ],
    [
      '[W27] a signal for a run that is not durable',
      { type: 'signal', name: 'go', payload: 1 },
      ack('signal', false, 'No run of the session takes signals now.'),
    ],
    [
      '[W12] a command id',
      { type: 'cancel', taskId: 's1', commandId: 'c-1' },
      { ...ack('cancel', true), commandId: 'c-1' },
    ],
  ])('%s', async (_name, message, expected) => {
    const session = await waiting()
    const queued = await host.send(key, { type: 'submit', ...scriptBody({ text: 'later' }) })
    const taskId = message.type === 'cancel' && message.taskId === 'RUN' && 'runId' in queued ? queued.runId : null
    const line = await live(session)
    await line.say(taskId === null ? message : ({ ...message, taskId } as FabricClientMessage))
    expect(line.acks()).toEqual([expected])
    expect(line.end).toBeNull()
  })

  test('[W9] what is over is acknowledged and nothing happens', async () => {
    const session = await played({ text: 'Hi' })
    const line = await live(session)
    const { head } = session.state
    await line.say({ type: 'cancel', taskId: 'r-2' })
    await line.say({ type: 'cancel', taskId: 's1' })
    const remark = 'There was nothing left to cancel.'
    expect(line.acks()).toEqual([ack('cancel', true, remark), ack('cancel', true, remark)])
    expect(session.state.head).toBe(head)
  })

  test('[W10] an approval is answered once', async () => {
    const session = await waiting()
    const [approvalId = ''] = Object.keys(session.state.approvals.open)
    const line = await live(session)
    const approve = { type: 'approve', approvalId, args: { p: 2 }, actor: 'me', reason: 'fine' } as const
    await line.say({ ...approve, decision: 'approved' })
    await line.say({ ...approve, decision: 'approved' })
    await line.say({ ...approve, decision: 'denied' })
    expect(line.acks().map((each) => each.type === 'ack' && each.ok)).toEqual([true, true, false])
    await line.until('idle')
    expect(line.sent.find((each) => each.type === 'event' && each.event.type === 'tool_end')).toMatchObject({
      event: { data: { result: { arguments: { p: 2 } } } },
    })
  })

  test.each<[Scope[], FabricClientMessage, string]>([
    [['observe', 'approve'], { type: 'cancel', taskId: 's1' }, 'operate'],
    [['observe', 'approve'], { type: 'signal', name: 'go' }, 'operate'],
    [['observe', 'operate'], { type: 'approve', approvalId: 'apr-1', decision: 'approved' }, 'approve'],
  ])('[W11] with %j only, %j is refused', async (scopes, message, needed) => {
    const line = await live(await waiting(), { scopes })
    await line.say(message)
    expect(line.acks()).toEqual([ack(message.type as 'cancel', false, `This needs the scope "${needed}".`)])
  })

  test('[W12] one command id is one effect; with another body it is refused', async () => {
    const session = await waiting()
    const line = await live(session)
    const cancel = { type: 'cancel', taskId: 's1', commandId: 'c-1' } as const
    await line.say(cancel)
    await line.until('idle')
    const { head } = session.state
    await line.say(cancel)
    await line.say({ ...cancel, reason: 'other' })
    expect(line.acks()).toEqual([
      { ...ack('cancel', true), commandId: 'c-1' },
      { ...ack('cancel', true), commandId: 'c-1' },
      { ...ack('cancel', false, 'This command id was used for another body.'), commandId: 'c-1' },
    ])
    expect(session.state.head).toBe(head)
  })

  test('[W8] acks come in the order of the commands', async () => {
    const session = await waiting()
    const [approvalId = ''] = Object.keys(session.state.approvals.open)
    const line = await live(session)
    await Promise.all([
      line.say({ type: 'approve', approvalId, decision: 'approved', commandId: 'a' }),
      line.say({ type: 'cancel', taskId: 'nobody', commandId: 'b' }),
      line.say({ type: 'cancel', taskId: 's1', commandId: 'c' }),
    ])
    expect(line.acks().map((each) => each.type === 'ack' && each.commandId)).toEqual(['a', 'b', 'c'])
  })

  test('[W8] a store that fails is an ack too', async () => {
    const line = await live(await waiting(), {
      host: { send: () => Promise.reject(new Error('secret detail')) },
    })
    await line.say({ type: 'cancel', taskId: 's1' })
    expect(line.acks()).toEqual([ack('cancel', false, 'Something went wrong here.')])
  })
})

describe('the end', () => {
  test('[W14] a pong at every heartbeat; closed when nothing is heard', async () => {
    const line = await live()
    line.clock.pass(45)
    expect(line.types()).toEqual(['pong', 'pong', 'pong'])
    expect(line.end).toBeNull()
    line.clock.pass(1)
    expect(line.end).toBe(4009)
    const { length } = line.sent
    line.clock.pass(100)
    expect(line.sent).toHaveLength(length)
  })

  test.each<[string, (line: FakeFabricSocket) => void]>([
    ['a pong', (line) => void line.say({ type: 'pong' })],
    ['a ping', (line) => void line.say({ type: 'ping' })],
    ['any message', (line) => void line.receiver.onMessage('what?')],
    ['a frame below the messages', (line) => line.receiver.onAlive()],
  ])('[W14] %s is a sign of life', async (_name, sign) => {
    const line = await live()
    for (let round = 0; round < 5; round++) {
      line.clock.pass(40)
      sign(line)
    }
    line.clock.pass(45)
    expect(line.end).toBeNull()
    line.clock.pass(1)
    expect(line.end).toBe(4009)
  })

  test('[W21] what a client has seen is told to the target; events say how far they bring, replayed and live', async () => {
    const session = await played({ text: 'one' })
    const line = open(session, { since: 0 })
    const { head } = session.state
    await line.until('replay-end')
    await host.send(key, { type: 'submit', ...scriptBody({ text: 'two' }) })
    await line.until('idle', 2)
    const brought = line.brought.filter((seq) => seq !== undefined)
    expect(brought).toEqual([...brought].sort((a, b) => a - b))
    expect([brought[0], brought.at(-1)]).toEqual([head, session.state.head])
    await line.say({ type: 'seen', seq: 4 })
    expect(line.seen).toEqual([4])
  })

  test('[W16] whoever does not read is cut, live and in answers', async () => {
    const session = await played({ text: 'one' })
    const lines = [await live(session), await live(session)]
    for (const line of lines) line.waiting = LISTENER_BYTES_MAX + 1
    await lines[0]?.say({ type: 'ping' })
    expect(lines.map((line) => line.end)).toEqual([4008, null])
    await host.send(key, { type: 'submit', ...scriptBody({ text: 'two' }) })
    expect(lines.map((line) => line.end)).toEqual([4008, 4008])
    expect(session.subscribers.size).toBe(0)
  })

  test('a removed session closes with 4004, a moved one with 1012', async () => {
    const line = await live()
    await host.remove(key)
    expect(line.end).toBe(4004)
    const other = await live()
    await host.stop()
    expect(other.end).toBe(1012)
  })

  test('a client that leaves leaves nothing behind, and stops nothing', async () => {
    const session = await waiting()
    const line = await live(session)
    line.receiver.onClosed()
    expect(session.subscribers.size).toBe(0)
    expect(line.clock.size).toBe(0)
    expect(session.state.lifecycle.run).not.toBeNull()
  })
})

const unknownTask = 'There is no such task or run in this session.'

const ack = (of: 'cancel' | 'approve' | 'signal', ok: boolean, message?: string): FabricAck => ({
  type: 'ack',
  for: of,
  ok,
  ...(message !== undefined && { message }),
})

const submit = async (...steps: unknown[]): Promise<Session> => {
  await host.send(key, { type: 'submit', ...scriptBody(...steps) })
  return host.open(key)
}

const settled = (session: Session, when: (session: Session) => boolean): Promise<Session> =>
  new Promise((resolve) => {
    const look = () => (when(session) ? resolve(session) : setTimeout(look, 1))
    look()
  })

const played = async (...steps: unknown[]): Promise<Session> =>
  settled(await submit(...steps), ({ state }) => state.lifecycle.run === null)

/** A run that has named a task and now waits for an approval. */
const waiting = async (): Promise<Session> => {
  const task = { event: { type: 'subagent_event', payload: { agent_id: 'sub-1', status: 'started' } } }
  const session = await submit(task, { approve: 'write', id: 'c1', args: { p: 1 } })
  return settled(session, ({ state }) => Object.keys(state.approvals.open).length > 0)
}

const seqOf = async (session: Session, type: string): Promise<number> =>
  (await session.read(0, 1_000)).find((event) => event.type === type)?.seq ?? 0

const open = (session: Session, opening: FakeFabricSocketOptions = {}): FakeFabricSocket =>
  new FakeFabricSocket(session, { host, ...opening })

/** At the head, and what was sent to get there is forgotten. */
const live = async (session?: Session, opening: FakeFabricSocketOptions = {}): Promise<FakeFabricSocket> => {
  const line = open(session ?? (await played({ text: 'Hi' })), opening)
  await line.until('replay-end')
  line.sent.length = 0
  return line
}
