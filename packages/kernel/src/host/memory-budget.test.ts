import { BYTES_PER_CHAR, SESSION_CHARS_MAX } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { Key } from '../event.ts'
import { memoryStore } from '../memory/memory-store.ts'
import { SESSION_BYTES_MIN } from '../session/session-size.ts'
import { approximateChars } from '../text/size.ts'
import { flushPending, RecordingListener, setUp, VirtualClock } from './host.suite.ts'
import { MemoryBudget, sessionsToEvict } from './memory-budget.ts'

const at = (tenant: string, id: string): Key => ({ tenant, agent: 'agent', id })
const submit = (prompt: string) => ({ type: 'submit', prompt }) as const
/** A session at rest that holds this many characters. */
const create = (chars: number) => ({ type: 'create', opening: { title: 'x'.repeat(chars) } }) as const

describe('[S32] who has to leave', () => {
  const loaded = (name: string, tenant: string, bytes: number, idle = true) => ({ name, tenant, bytes, idle })
  const leaving = (sessions: ReturnType<typeof loaded>[], bytes: number, tenantBytes = bytes) =>
    sessionsToEvict(sessions, { bytes, tenantBytes }).map(({ name }) => name)

  test.each<[string, string[], string[]]>([
    ['nobody within the limits', leaving([loaded('a', 't', 50), loaded('b', 'u', 50)], 100), []],
    ['the largest first', leaving([loaded('s', 't', 10), loaded('l', 't', 70), loaded('m', 'u', 40)], 100), ['l']],
    [
      'until there is some room',
      leaving([loaded('a', 't', 40), loaded('b', 'u', 31), loaded('c', 'v', 30), loaded('d', 'w', 70)], 100),
      ['d', 'a'],
    ],
    ['never one that is busy', leaving([loaded('l', 't', 500, false), loaded('s', 't', 10)], 100), ['s']],
    ['never one of a tenant within its share', leaving([loaded('l', 't', 500, false), loaded('s', 'u', 10)], 100), []],
    [
      'of the tenant that has too much, not of others',
      leaving([loaded('a1', 'a', 30), loaded('a2', 'a', 40), loaded('b1', 'b', 45)], 200, 60),
      ['a2'],
    ],
  ])('%s', (_name, left, expected) => expect(left).toEqual(expected))
})

describe('[S32] the sums', () => {
  test('follow each session, and forget those that left', () => {
    const budget = new MemoryBudget({ bytes: 100 })
    const [one, two, three] = [{}, {}, {}]
    budget.set(one, 'a', 30)
    budget.set(two, 'b', 20)
    budget.set(three, 'a', 10)
    budget.set(one, 'a', 45)
    expect([budget.bytes, budget.bytesOf('a'), budget.bytesOf('b')]).toEqual([75, 55, 20])
    expect([budget.needsRoom('a'), budget.needsRoom('b')]).toEqual([true, false])
    // All busy: no second search until it has grown.
    budget.recordSearch()
    expect(budget.needsRoom('a')).toBe(false)
    budget.set(one, 'a', 60)
    expect(budget.needsRoom('a')).toBe(true)
    for (const [session, tenant] of [
      [one, 'a'],
      [two, 'b'],
      [three, 'a'],
    ] as const)
      budget.set(session, tenant, 0)
    expect([budget.bytes, budget.bytesOf('a'), budget.bytesOf('b')]).toEqual([0, 0, 0])
  })

  test('characters are counted without making the text', () => {
    expect(approximateChars('abc')).toBe(3 + 8)
    expect(approximateChars({ text: 'abc', list: [1, null, 'de'] })).toBe(8 + (8 + 11) + (8 + 8 + 8 + 8 + 10))
  })
})

describe('[S32] a host', () => {
  const KIB = 1024
  const memory = { bytes: 2_000 * KIB, tenantBytes: 1_000 * KIB }
  /** The approximate bytes of a session with this many characters. */
  const bytes = (chars: number) => SESSION_BYTES_MIN + BYTES_PER_CHAR * chars

  test('a flood of one tenant does not push out the others, and what left answers the same', async () => {
    const { host, log } = setUp({ memory })
    for (const tenant of ['b', 'c'])
      for (const id of ['s1', 's2', 's3']) await host.send(at(tenant, id), create(10_000))
    const before = new Map<string, unknown>()
    for (let round = 0; round < 40; round++) {
      const id = `s${round}`
      await host.send(at('a', id), create(100_000 + round))
      before.set(id, (await host.find(at('a', id)))?.state)
      // The other tenants continue in between.
      await host.send(at('b', `s${1 + (round % 3)}`), { type: 'set_policy', policy: {} })
      expect(host.memoryBytes).toBeLessThanOrEqual(memory.tenantBytes + 6 * bytes(12_000) + bytes(100_100))
    }
    const opened = log.opened
    for (const tenant of ['b', 'c'])
      for (const id of ['s1', 's2', 's3']) expect(await host.find(at(tenant, id))).not.toBeNull()
    expect(log.opened).toBe(opened)
    for (const [id, state] of before) expect((await host.find(at('a', id)))?.state).toEqual(state)
    expect(log.opened).toBeGreaterThan(opened)
  })

  test('large ones leave before small ones, whichever came last', async () => {
    const { host, log } = setUp({ memory: { bytes: 2_000 * KIB, tenantBytes: 2_000 * KIB } })
    const sizes = [50_000, 400_000, 20_000, 300_000, 30_000]
    for (const [index, chars] of sizes.entries()) await host.send(at('a', `s${index}`), create(chars))
    // Over by the last: the largest leaves, the others stay.
    await host.send(at('b', 'last'), create(250_000))
    const loaded = async (id: string) => {
      const { opened } = log
      await host.find(at('a', id))
      return log.opened === opened
    }
    expect([await loaded('s0'), await loaded('s2'), await loaded('s3'), await loaded('s4')]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(await loaded('s1')).toBe(false)
  })

  test('busy and watched sessions stay, whatever their size; a tenant whose sessions are all busy waits', async () => {
    const { host, log, runner, clock } = setUp({ memory })
    await host.start()
    const watcher = new RecordingListener()
    await host.send(at('a', 'watched'), create(100_000))
    ;(await host.open(at('a', 'watched'))).subscribers.add(watcher, 0)
    const outcomes: string[] = []
    for (let round = 0; round < 20; round++) {
      const outcome = await host.send(at('a', `busy${round}`), submit('y'.repeat(100_000)))
      outcomes.push('refused' in outcome ? String(outcome.refused) : 'accepted')
      expect(await host.send(at('b', `s${round}`), create(1_000))).toHaveProperty('sessionId')
    }
    await flushPending()
    expect(outcomes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'accepted'))
    expect(outcomes.at(-1)).toBe('busy')
    expect(watcher.closed).toBeNull()
    const accepted = outcomes.filter((outcome) => outcome === 'accepted').length
    expect(host.counts().running).toBe(accepted)
    // When runs end and watchers leave, the next round makes room, and the tenant continues.
    ;(await host.open(at('a', 'watched'))).subscribers.remove(watcher)
    for (const { reporter, end } of runner.attempts) {
      await reporter.report([{ type: 'finished' }])
      end('done')
    }
    await flushPending()
    await clock.pass(2_000)
    expect(host.memoryBytes).toBeLessThanOrEqual(memory.bytes)
    expect(await host.send(at('a', 'busy19'), submit('again'))).toHaveProperty('runId')
    const { opened } = log
    expect((await host.find(at('b', 's3')))?.exists).toBe(true)
    expect(log.opened).toBe(opened)
    await host.stop()
  })

  test('a session that holds too much takes no more prompts, and a rewound one does again', async () => {
    const store = memoryStore()
    const { host, runner } = setUp({}, store, new VirtualClock())
    const prompt = 'z'.repeat(1_000_000)
    const say = async () => {
      const outcome = await host.send(at('a', 'full'), submit(prompt))
      await flushPending()
      const attempt = runner.attempts.at(-1)
      await attempt?.reporter.report([{ type: 'finished' }]).catch(() => {})
      attempt?.end('done')
      await flushPending()
      return outcome
    }
    let taken = 0
    for (; taken < 100; taken++) if ('refused' in (await say())) break
    expect(taken).toBe(SESSION_CHARS_MAX / prompt.length)
    expect(await say()).toMatchObject({ refused: 'session_full' })
    expect(await host.send(at('a', 'other'), submit('short'))).toHaveProperty('runId')
    const answer = (await host.find(at('a', 'full')))?.state.conversation.messages[3]
    expect(await host.send(at('a', 'full'), { type: 'reload', messageId: answer?.id ?? '' })).toHaveProperty('runId')
    await flushPending()
    await runner.last.reporter.report([{ type: 'finished' }])
    runner.last.end('done')
    await flushPending()
    expect(await say()).toHaveProperty('runId')
  })
})
