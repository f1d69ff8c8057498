// Durable runs in the real runtime: an object whose life ends at any write goes on in its next life, with nothing done twice; one
// whose run waits is evicted, and nothing but news or its moment wakes it.

import { get, isIdle, post, readFrames, type SseFrame } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { places } from '../../../../../scripts/variants.ts'
import {
  evict,
  hasAlarm,
  incarnation,
  planCrash,
  readLedger,
  reset,
  startTestWorker,
  writeCount,
} from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'
import type { WriteCrash } from './write-crashes.suite.ts'

interface WorkerSession {
  readonly id: string
  readonly agent: 'clerk' | 'courier' | 'analyst'
}

/** Two sessions of one agent and one of another. */
const threeSessions = (name: string): [WorkerSession, WorkerSession, WorkerSession] => [
  { id: `${name}-a`, agent: 'clerk' },
  { id: `${name}-b`, agent: 'courier' },
  { id: `${name}-c`, agent: 'clerk' },
]

const ENDS = {
  clerk: { result: { receipt: 'receipt-7', parcel: 'parcel' }, text: 'Quoted 7, shipped.' },
  courier: { result: 'signed', text: 'Booked b-1. Delivered for Ada.' },
  analyst: { result: 'All done.', text: 'Looking. Paid. All done.' },
}
const DEEDS = {
  clerk: ['quote', 'pay', 'pick left', 'pick right', 'ship'],
  courier: ['book', 'slip', 'deliver'],
  analyst: ['think 1', 'look left', 'look right', 'think 2', 'pay', 'think 3', 'ship', 'think 4'],
}
type CrashRole = readonly [agent: WorkerSession['agent'], when: WriteCrash['when']]
const CASTS: readonly [name: string, cast: readonly CrashRole[]][] = [
  [
    'functions',
    [
      ['clerk', 'before'],
      ['courier', 'before'],
      ['clerk', 'after'],
      ['courier', 'after'],
    ],
  ],
  [
    'models',
    [
      ['analyst', 'before'],
      ['clerk', 'before'],
      ['analyst', 'after'],
    ],
  ],
]
/** Crash points that are played together. */
const AT_ONCE = 6
/** Calls that wait for an approval, except those of the clerk. */
const WITH_APPROVAL = ['deliver', 'ship']
/** Calls that nobody may repeat unasked. */
const UNSAFE = ['pay', 'deliver']

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  beforeAll(async () => {
    // Nobody waits half a minute for a watchdog here.
    world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify({ watchdogMs: 500 }) } })
  })
  afterAll(() => world?.dispose())

  /** An object whose life ends cannot answer: its caller asks again, and the key tells that it is the same prompt. */
  const start = ({ id, agent }: WorkerSession) => {
    const headers = { prefer: 'respond-async', 'idempotency-key': id }
    const prompt = () => post(`${world.url}/agents/${agent}/${id}`, { prompt: id }, headers).catch(() => null)
    return expect.poll(async () => (await prompt())?.status).toBe(202)
  }
  const view = async ({ id }: WorkerSession) => {
    const answer = await get(`${world.url}/sessions/${id}`).catch(() => null)
    return answer?.status === 200
      ? (answer.body as { status: string; approvals: { id: string; toolName: string }[] })
      : null
  }
  /** Approves everything, sends the signal, and resolves when the session is idle. The number of questions is returned. */
  const attend = async (session: WorkerSession): Promise<number> => {
    const answered = new Set<string>()
    let isSignalled = session.agent !== 'courier'
    const step = async () => {
      const seen = await view(session)
      for (const { id } of seen?.approvals ?? []) {
        const url = `${world.url}/sessions/${session.id}/approvals/${id}/approve`
        if ((await post(url, {}).catch(() => null))?.status === 200) answered.add(id)
      }
      if (!isSignalled && seen?.status === 'running') {
        const signal = { name: 'door', payload: { name: 'Ada' } }
        isSignalled =
          (await post(`${world.url}/sessions/${session.id}/signal`, signal).catch(() => null))?.status === 200
      }
      return seen?.status
    }
    await expect.poll(step, { timeout: 60_000, interval: 200 }).toBe('idle')
    return answered.size
  }
  const framesOf = ({ id, agent }: WorkerSession) => readFrames(`${world.url}/agents/${agent}/${id}/stream`, isIdle)
  const callIds = (frames: readonly SseFrame[], type: string) =>
    frames.filter(({ data }) => data.type === type).map(({ data }) => String(data.data.toolCallId))

  /** The run ended as if nothing had happened, and the ledger agrees. */
  const expectWhole = async (session: WorkerSession) => {
    const { agent, id } = session
    const frames = await framesOf(session)
    expect([id, frames.at(-2)?.data.type, frames.at(-2)?.data.data.result]).toEqual([id, 'result', ENDS[agent].result])
    const { messages } = (await get(`${world.url}/sessions/${id}`)).body as { messages: { content: string }[] }
    expect([id, messages.at(-1)?.content]).toEqual([id, ENDS[agent].text])
    const [calls, outcomes] = [callIds(frames, 'tool_start'), callIds(frames, 'tool_end')]
    expect([id, new Set(calls).size, outcomes.toSorted()]).toEqual([id, calls.length, calls.toSorted()])
    const ledger = await readLedger(world, id)
    const subjects = frames
      .filter(({ data }) => data.type === 'approval_requested')
      .map(({ data }) => data.data.subject)
    for (const deed of DEEDS[agent]) {
      const times = ledger.filter((each) => each === deed).length
      // An unsafe call is made once more for each time that somebody agreed to it. The others may be made once more after a crash.
      const agreed =
        subjects.filter((subject) => subject === deed).length -
        (WITH_APPROVAL.includes(deed) && agent !== 'clerk' ? 1 : 0)
      const most = UNSAFE.includes(deed) ? 1 + agreed : 2
      expect([id, deed, times >= 1 && times <= most, agreed <= 1]).toEqual([id, deed, true, true])
    }
    expect(ledger.length - new Set(ledger).size).toBeLessThanOrEqual(2)
  }

  /** Runs of both agents without an end in between: the number of their writes. */
  const undisturbed = async (sessions: readonly WorkerSession[]) => {
    for (const session of sessions) await start(session)
    await Promise.all(sessions.map(attend))
    for (const session of sessions) {
      await expectWhole(session)
      expect(await readLedger(world, session.id)).toHaveLength(DEEDS[session.agent].length)
    }
    return Promise.all(sessions.map(({ id, agent }) => writeCount(world, id, agent)))
  }

  /** The life of each object ends at this write of its session, once. */
  const play = async (write: number, cast: readonly CrashRole[]) => {
    const crashes = cast.map(([agent, when], index) => ({ session: { id: `${agent}-${write}-${index}`, agent }, when }))
    for (const { session, when } of crashes) await planCrash(world, session, { write, when })
    for (const { session } of crashes) await start(session)
    await Promise.all(crashes.map(({ session }) => attend(session)))
    for (const { session } of crashes) await expectWhole(session)
  }

  test('[S67] edited arguments that do not fit are refused in three sessions, also after an eviction', async () => {
    const sessions = ['a', 'b', 'c'].map((name): WorkerSession => ({ id: `edit-${name}`, agent: 'analyst' }))
    for (const session of sessions) await start(session)
    const shipping = async (session: WorkerSession) =>
      (await view(session))?.approvals.find(({ toolName }) => toolName === 'ship')?.id
    for (const isEvicted of [false, true])
      for (const session of sessions) {
        await expect.poll(() => shipping(session)).toBeDefined()
        if (isEvicted) await evict(world, session.id, session.agent)
        const url = `${world.url}/sessions/${session.id}/approvals/${await shipping(session)}/approve`
        expect(await post(url, { args: { boxes: 'two' } })).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(/^The arguments of "ship" do not fit: boxes: /) },
        })
      }
    for (const session of sessions) {
      const url = `${world.url}/sessions/${session.id}/approvals/${await shipping(session)}/approve`
      expect((await post(url, { args: { boxes: 2 } })).status).toBe(200)
      await attend(session)
      await expectWhole(session)
    }
  })

  test.each(CASTS)(
    '[CF8] [CF13] at whichever write its life ends, an object goes on in its next life: %s',
    async (name, cast) => {
      const sessions = cast.map(([agent], index) => ({ id: `${name}-${index}`, agent }))
      const writes = Math.max(...(await undisturbed(sessions)))
      expect(writes).toBeGreaterThan(8)
      // The loops of agents end at every write in memory and in processes: here a tenth of the writes is played, another each day.
      const chosen = places(writes)
      for (let first = 0; first < chosen.length; first += AT_ONCE)
        await Promise.all(chosen.slice(first, first + AT_ONCE).map((write) => play(write, cast)))
    },
    240_000,
  )

  const lives = (sessions: readonly WorkerSession[]) =>
    Promise.all(sessions.map(({ id, agent }) => incarnation(world, id, agent)))
  const alarms = (sessions: readonly WorkerSession[]) =>
    Promise.all(sessions.map(({ id, agent }) => hasAlarm(world, id, agent)))

  test('[CF13] an object whose run waits for an answer or a signal has no alarm, is evicted, and goes on in another life', async () => {
    const sessions = threeSessions('waiting')
    for (const session of sessions) await start(session)
    // Both wait: the clerks for an approval, the courier for its signal.
    await expect.poll(() => alarms(sessions)).toEqual([false, false, false])
    const [before, deeds] = [await lives(sessions), await Promise.all(sessions.map(({ id }) => readLedger(world, id)))]
    expect(deeds.map((each) => each.at(-1))).toEqual(['pick right', 'book', 'pick right'])
    for (const { id, agent } of sessions) await evict(world, id, agent)
    const after = await lives(sessions)
    expect(after.map((life, index) => life === before[index])).toEqual([false, false, false])
    // Awake again, it still has nothing to do.
    expect(await alarms(sessions)).toEqual([false, false, false])
    await Promise.all(sessions.map(attend))
    for (const session of sessions) {
      await expectWhole(session)
      expect(await readLedger(world, session.id)).toHaveLength(DEEDS[session.agent].length)
    }
  })

  test('[CF3] [CF13] a run that sleeps has the alarm of its moment, which wakes it in another life', async () => {
    const ids = ['nap-a', 'nap-b', 'nap-c']
    /** From the directory: the object is not asked. */
    const statuses = async () => {
      const { sessions } = (await get(`${world.url}/sessions`)).body as { sessions: { id: string; status: string }[] }
      return ids.map((id) => sessions.find((session) => session.id === id)?.status)
    }
    for (const id of ids) {
      const answer = await post(`${world.url}/agents/sleeper/${id}`, { napMs: 4_000 }, { prefer: 'respond-async' })
      expect(answer.status).toBe(202)
    }
    for (const id of ids) await expect.poll(() => readLedger(world, id)).toEqual(['lie down'])
    const before = await Promise.all(ids.map((id) => incarnation(world, id, 'sleeper')))
    for (const id of ids) await reset(world, id, 'sleeper')
    await expect.poll(statuses).toEqual(['idle', 'idle', 'idle'])
    const after = await Promise.all(ids.map((id) => incarnation(world, id, 'sleeper')))
    expect(after.map((life, index) => life === before[index])).toEqual([false, false, false])
    for (const id of ids) expect(await readLedger(world, id)).toEqual(['lie down', 'get up'])
  })
})
