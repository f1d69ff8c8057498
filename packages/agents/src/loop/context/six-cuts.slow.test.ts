// Three sessions with more than six cuts each, in turns. Processes end around every cut: before and after its write, in mid-summary,
// and at the writes beside it. The ledger says what the model was really asked, in all processes.

import type { Event, Key } from '@bridle/kernel/event'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import type { LogAppend } from '@bridle/kernel/ports/log'
import { expect, test } from 'vitest'
import { type Answering, keyOf, LoopWorld } from '../loop.suite.ts'
import { isSummaryRequest, reader, readerOf } from './context.suite.ts'

const sessions: readonly Key[] = ['one', 'two', 'three'].map((id) => keyOf(id))
const TURNS = 8
const padding = (n: number) => 'word '.repeat(1_300 + (n % 3) * 50)
const promptOf = ({ id }: Key, n: number): string => {
  if (n === 1) return `This is ${id}. Keep in mind: KEEP(${id}first) and KEEP(${id}second). ${padding(n)}`
  return n === TURNS ? `This is ${id}. What are you to keep in mind?` : `This is ${id}, turn ${n}. ${padding(n)}`
}

/** A place beside the write of a cut at which a process ends, once for each cut of each session. */
type Place = 'before' | 'after' | 'write before' | 'write after' | 'in the summary'

const never = () => new Promise<never>(() => {})
/** The session of a cut with the event from which on it keeps the conversation: the same in each process that makes it. */
const cutIn = ({ events }: LogAppend): string | null => {
  const cut = events.find((event): event is Event<'context_compacted'> => event.type === 'context_compacted')
  return cut
    ? `${cut.payload.resume_cursor?.split(':')[1]} ${cut.payload.kept_from} ${cut.payload.cleared_before}`
    : null
}
/** The results that fill the window stand in the write before a cut. */
const outcomeIn = ({ events }: LogAppend): string | null => {
  const outcome = events.find((event): event is Event<'tool_outcome'> => event.type === 'tool_outcome')
  return outcome?.payload.tool_call_id ?? null
}

const live = async (place: Place | null) => {
  /** The bytes of each request, by session and by the answers and cuts before it. */
  const requests = new Map<string, Set<string>>()
  const struck = new Set<string>()
  let world: LoopWorld
  let kills = 0

  const strike = (at: string): boolean => {
    if (place === null || struck.has(at)) return false
    struck.add(at)
    kills += 1
    world.kill()
    return true
  }
  const boot = async (before: LoopWorld | null) => {
    let own: LoopWorld
    const answer: Answering = async (prompt, options) => {
      if (own.isDead) return never()
      const session = sessions.find(({ id }) => JSON.stringify(prompt).includes(`This is ${id}`)) as Key
      const steps = (await own.payloads('model_step', session)).length
      const cuts = (await own.payloads('context_compacted', session)).length
      const at = `${session.id} ${steps} ${cuts} ${isSummaryRequest(prompt)}`
      requests.set(at, (requests.get(at) ?? new Set()).add(JSON.stringify([prompt, options.tools])))
      if (place === 'in the summary' && isSummaryRequest(prompt) && strike(at)) return never()
      return readerOf(2)(prompt, options)
    }
    own = new LoopWorld(reader(answer), before ? before.store.reopen() : memoryStore(), before?.clock)
    world = own
    let justCut: string | null = null
    const strikeAt = (at: string | null) => {
      if (at !== null && strike(at)) throw new Error('killed')
    }
    own.log.before = (append) => {
      if (place === 'before') strikeAt(cutIn(append))
      if (place === 'write before') strikeAt(outcomeIn(append))
      if (place === 'write after') strikeAt(justCut)
      justCut = null
    }
    own.log.after = (append) => {
      justCut = cutIn(append)
      if (place === 'after') strikeAt(justCut)
    }
    await own.host.start()
    return own
  }

  let current = await boot(null)
  for (let n = 1; n <= TURNS; n++) {
    for (const key of sessions) await current.submit(promptOf(key, n), key).catch(() => {})
    for (let round = 0; round < 80; round++) {
      await current.quiet()
      if (current.isDead) {
        current = await boot(current)
        continue
      }
      let open = 0
      for (const key of sessions) {
        const events = await current.events(key)
        if (events.filter(({ type }) => type === 'prompt_queued').length < n)
          await current.submit(promptOf(key, n), key).catch(() => {})
        if (events.filter(({ type }) => type === 'turn_end').length < n) open += 1
      }
      if (open === 0) break
    }
  }
  const results = await Promise.all(sessions.map((key) => current.result(key)))
  const ends = await Promise.all(sessions.map((key) => current.payloads('turn_end', key)))
  expect(new Set(ends.flat().map(({ status }) => status))).toEqual(new Set(['completed']))
  const cuts = await Promise.all(sessions.map((key) => current.payloads('context_compacted', key)))
  await current.host.stop()
  return { requests, results, cuts, kills }
}

const expected = sessions.map(({ id }) => `I know ${id}first ${id}second.`)

test('[N84] [N87] after six cuts the agent knows what it was told to keep in its first turn, wherever processes end', async () => {
  const steady = await live(null)
  expect(steady.results).toEqual(expected)
  for (const cuts of steady.cuts)
    expect(cuts.filter(({ kept_from }) => kept_from !== undefined).length).toBeGreaterThanOrEqual(6)
  for (const place of ['before', 'after', 'write before', 'write after', 'in the summary'] as const) {
    const disturbed = await live(place)
    expect([place, disturbed.results]).toEqual([place, expected])
    expect([place, disturbed.requests]).toEqual([place, steady.requests])
    expect(disturbed.kills).toBeGreaterThanOrEqual(12)
    const summaries = (list: typeof steady.cuts) => list.map((cuts) => cuts.map(({ summary }) => summary))
    expect([place, summaries(disturbed.cuts)]).toEqual([place, summaries(steady.cuts)])
  }
}, 120_000)
