import { LISTENER_BYTES_MAX, READ_PAGE } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { deferred, flushPending, RecordingListener } from '../host/host.suite.ts'
import { ReadScheduler } from './reading/read-scheduler.ts'
import { Subscribers } from './subscribers.ts'

/** A log that grows, and is published after it was written. */
const feed = (base = 0, turns: ReadScheduler | null = null) => {
  const log: AnyEvent[] = []
  let head = base
  const add = (count: number) => {
    const first = base + log.length + 1
    for (let index = 0; index < count; index++)
      log.push({ seq: first + index, at: 1, type: 'token', payload: { text: `${first + index}` } } as AnyEvent)
    return log.slice(first - base - 1)
  }
  const reads = { before: async () => {}, limits: [] as number[] }
  const subscribers = new Subscribers(
    async (after, limit) => {
      reads.limits.push(limit)
      const page = log.filter(({ seq }) => seq > after).slice(0, limit)
      await reads.before()
      return page
    },
    () => head,
    turns,
  )
  const publish = (events: readonly AnyEvent[]) => {
    head = events.at(-1)!.seq
    subscribers.publish({ events })
  }
  return { add, publish, append: (count: number) => publish(add(count)), subscribers, reads, log }
}
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const seqs = (watcher: RecordingListener) => watcher.seen.map(({ seq }) => seq)

describe('a cursor', () => {
  test.each<[string, number, number[]]>([
    ['from the start', 0, range(1, 15)],
    ['in the middle', 7, range(8, 15)],
    ['at the head', 10, range(11, 15)],
  ])('%s: everything after it, once and in order', async (_name, since, expected) => {
    const { append, subscribers } = feed()
    append(10)
    const watcher = new RecordingListener()
    subscribers.add(watcher, since)
    await flushPending()
    append(5)
    expect(seqs(watcher)).toEqual(expected)
    expect(watcher.seqs.at(-1)).toBe(15)
  })

  test('far behind: page by page', async () => {
    const { append, subscribers, reads } = feed()
    append(READ_PAGE * 2 + 5)
    const watcher = new RecordingListener()
    subscribers.add(watcher, 0)
    await flushPending()
    expect(seqs(watcher)).toEqual(range(1, READ_PAGE * 2 + 5))
    expect(Math.max(...reads.limits)).toBeLessThanOrEqual(READ_PAGE)
    expect(watcher.texts).toHaveLength(3)
  })

  test('while others append at every step of the catch-up', async () => {
    const { append, subscribers, reads } = feed()
    append(3)
    let more = 20
    reads.before = async () => {
      if (more-- > 0) append(1)
      await flushPending(1)
      if (more-- > 0) append(2)
    }
    const watcher = new RecordingListener()
    subscribers.add(watcher, 0)
    await flushPending(60)
    append(1)
    expect(seqs(watcher)).toEqual(range(1, watcher.seen.length))
    expect(watcher.seen.length).toBeGreaterThan(20)
  })

  test('what is written but not yet published comes once', async () => {
    const { add, publish, append, subscribers } = feed()
    append(3)
    const written = add(2)
    const watcher = new RecordingListener()
    subscribers.add(watcher, 0)
    await flushPending()
    publish(written)
    append(1)
    expect(seqs(watcher)).toEqual(range(1, 6))
  })

  test('a reader that cannot take more is waited for, and loses nothing', async () => {
    const { append, subscribers } = feed()
    append(READ_PAGE + 1)
    const gate = deferred()
    const watcher = Object.assign(new RecordingListener(), { ready: () => gate.promise })
    subscribers.add(watcher, 0)
    await flushPending()
    expect(watcher.texts).toHaveLength(1)
    append(2)
    gate.release()
    await flushPending()
    expect(seqs(watcher)).toEqual(range(1, READ_PAGE + 3))
  })
})

describe('[O33] many readers of one long log', () => {
  test('each page is read and encoded once for each audience, and everybody gets everything', async () => {
    const { append, subscribers, reads } = feed(0, new ReadScheduler({ now: () => 0, nextTurn: async () => {} }))
    append(READ_PAGE * 3 + 5)
    const encoded = { a: 0, b: 0 }
    const watchers = (['a', 'b', 'a', 'b', 'a', 'a'] as const).map(
      (name) => new RecordingListener(name, () => encoded[name]++),
    )
    for (const watcher of watchers) subscribers.add(watcher, 0)
    await flushPending(100)
    append(2)
    for (const watcher of watchers) expect(seqs(watcher)).toEqual(range(1, READ_PAGE * 3 + 7))
    // Three whole pages each; the last, unfinished one is everybody's own; then the live change.
    expect(encoded).toEqual({ a: 3 + 4 + 1, b: 3 + 2 + 1 })
    expect(reads.limits.filter((limit) => limit === READ_PAGE)).toHaveLength(6)
  })

  test('a replay ends where it was asked to, though others have read on', async () => {
    const { append, subscribers } = feed()
    append(READ_PAGE * 2)
    const far = new RecordingListener()
    subscribers.add(far, 0)
    await flushPending(100)
    append(READ_PAGE)
    const gate = deferred()
    const waits = Object.assign(new RecordingListener(), { ready: () => gate.promise })
    const [short, slow] = [new RecordingListener(), waits]
    const ends = [subscribers.replay(slow, 0, READ_PAGE * 2 - 7), subscribers.replay(short, 0, READ_PAGE + 3)]
    await flushPending(100)
    gate.release()
    expect(await Promise.all(ends)).toEqual([true, true])
    expect(seqs(short)).toEqual(range(1, READ_PAGE + 3))
    expect(seqs(slow)).toEqual(range(1, READ_PAGE * 2 - 7))
    expect(subscribers.size).toBe(1)
  })

  test('a reader that leaves in the middle gets nothing more', async () => {
    const { append, subscribers, reads } = feed()
    append(READ_PAGE * 3)
    const [stays, leaves] = [new RecordingListener(), new RecordingListener()]
    reads.before = async () => void subscribers.remove(leaves)
    const replayed = subscribers.replay(leaves, 0, READ_PAGE * 3)
    subscribers.add(stays, 0)
    await flushPending(100)
    expect(await replayed).toBe(false)
    expect(leaves.texts).toEqual([])
    expect(seqs(stays)).toEqual(range(1, READ_PAGE * 3))
  })
})

describe('audiences', () => {
  test('a change is encoded once for each, and all its listeners get the same text', async () => {
    const { append, subscribers } = feed()
    const times = { a: 0, b: 0 }
    const watchers = (['a', 'a', 'a', 'b', 'b'] as const).map(
      (name) => new RecordingListener(name, () => times[name]++),
    )
    for (const watcher of watchers) subscribers.add(watcher, 0)
    await flushPending()
    append(3)
    append(1)
    expect(times).toEqual({ a: 2, b: 2 })
    for (const watcher of watchers) expect(seqs(watcher)).toEqual([1, 2, 3, 4])
    expect(watchers[0]!.texts[0]).toBe(watchers[2]!.texts[0])
  })

  test('one for whom there is nothing is not bothered', async () => {
    const { append, subscribers } = feed()
    const watcher = new RecordingListener()
    subscribers.add(
      { ...watcher, audience: { key: 'none', encode: () => '' }, send: watcher.send, unsent: () => 0, close: () => {} },
      0,
    )
    await flushPending()
    append(3)
    expect(watcher.texts).toEqual([])
    expect(subscribers.size).toBe(1)
  })

  test('one that cannot encode loses its own listeners and nobody else', async () => {
    const { append, subscribers } = feed()
    const broken = new RecordingListener('broken', () => {
      throw new Error('cannot encode')
    })
    const fine = new RecordingListener('fine')
    subscribers.add(broken, 0)
    subscribers.add(fine, 0)
    await flushPending()
    append(1)
    expect([broken.closed, fine.closed, seqs(fine)]).toEqual(['moved', null, [1]])
    expect(subscribers.size).toBe(1)
  })

  test('so does a socket that fails to send', async () => {
    const { append, subscribers } = feed()
    const broken = new RecordingListener()
    broken.send = () => {
      throw new Error('not open')
    }
    const fine = new RecordingListener()
    subscribers.add(broken, 0)
    subscribers.add(fine, 0)
    await flushPending()
    append(1)
    expect([broken.closed, fine.closed, seqs(fine)]).toEqual(['moved', null, [1]])
  })
})

describe('the end', () => {
  test('a slow listener is cut and told, and slows nobody', async () => {
    const { append, subscribers } = feed()
    const slow = new RecordingListener()
    const fine = new RecordingListener()
    subscribers.add(slow, 0)
    subscribers.add(fine, 0)
    await flushPending()
    append(1)
    slow.backlog = LISTENER_BYTES_MAX + 1
    append(1)
    append(1)
    expect([slow.closed, seqs(slow)]).toEqual(['slow', [1]])
    expect([fine.closed, seqs(fine)]).toEqual([null, [1, 2, 3]])
    expect(subscribers.size).toBe(1)
    const back = new RecordingListener()
    subscribers.add(back, 1)
    await flushPending()
    expect(seqs(back)).toEqual([2, 3])
  })

  test('who leaves hears no more, whether catching up or live', async () => {
    const { append, subscribers, reads } = feed()
    append(1)
    const live = new RecordingListener()
    subscribers.add(live, 0)
    await flushPending()
    subscribers.remove(live)
    append(1)
    expect([seqs(live), live.closed]).toEqual([[1], null])
    const gate = deferred()
    reads.before = () => gate.promise
    const early = new RecordingListener()
    subscribers.add(early, 0)
    subscribers.remove(early)
    gate.release()
    await flushPending()
    append(1)
    expect([seqs(early), early.closed, subscribers.size]).toEqual([[], null, 0])
  })

  test.each(['moved', 'removed'] as const)('closed as %s: all are told, and who comes later too', async (why) => {
    const { append, subscribers } = feed()
    append(1)
    const live = new RecordingListener()
    subscribers.add(live, 0)
    await flushPending()
    const catching = new RecordingListener()
    subscribers.add(catching, 0)
    subscribers.close(why)
    const late = new RecordingListener()
    subscribers.add(late, 0)
    expect([live.closed, catching.closed, late.closed, subscribers.size]).toEqual([why, why, why, 0])
  })

  test('a log that cannot be read sends its reader away', async () => {
    const { append, subscribers, reads } = feed()
    append(1)
    reads.before = () => Promise.reject(new Error('disk'))
    const watcher = new RecordingListener()
    subscribers.add(watcher, 0)
    await flushPending()
    expect([watcher.closed, subscribers.size]).toEqual(['moved', 0])
  })
})
