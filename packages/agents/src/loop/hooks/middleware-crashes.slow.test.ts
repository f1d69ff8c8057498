// The process ends before or after any write, with three sessions in it whose agent uses all four middlewares of the package and one
// that changes requests: nothing is decided twice, and the model reads the same bytes.

import type { Key } from '@bridle/kernel/event'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { expect, test } from 'vitest'
import { places } from '../../../../../scripts/variants.ts'
import { agent } from '../../agent.ts'
import { critic } from '../../middleware/critic.ts'
import { guardrails } from '../../middleware/guardrails.ts'
import type { Middleware } from '../../middleware/middleware.ts'
import { plan } from '../../middleware/plan.ts'
import { retrieval } from '../../middleware/retrieval.ts'
import type { ModelMessage } from '../../model/model.ts'
import { keyOf, LoopWorld, lastText, stubModel } from '../loop.suite.ts'

const sessions: readonly Key[] = [keyOf('one'), keyOf('two'), keyOf('three')]
const prompts: Readonly<Record<string, readonly string[]>> = { one: ['tea', 'coffee'], two: ['milk'], three: ['juice'] }

interface Process {
  /** The bytes of each request, by session, turn and step. */
  readonly requests: Map<string, Set<string>>
  readonly problems: string[]
  world?: LoopWorld
}

const never = () => new Promise<never>(() => {})
const steps = (first: string, second: string) => ({
  steps: [
    { text: 'Find it.', status: first },
    { text: 'Say it.', status: second },
  ],
})

const agentOf = (life: Process) => {
  const turnOf = async (id: string) => {
    const key = sessions.find((each) => each.id === id) ?? keyOf()
    const events = (await life.world?.events(key)) ?? []
    return events.slice(events.findLastIndex(({ type }) => type === 'turn_start'))
  }
  /** Nobody asks for a decision that the log of the turn has already. */
  const watch: Middleware = {
    name: 'watch',
    start: async ({ sessionId }) => {
      if (life.world?.isDead) return never()
      const isThere = (await turnOf(sessionId)).some(({ type }) => type === 'hook_event')
      if (isThere) life.problems.push(`the turn of ${sessionId} was started again`)
      return [{ text: `Session ${sessionId}.` }]
    },
    answer: async ({ sessionId, againLeft }) => {
      if (life.world?.isDead) return never()
      const events = await turnOf(sessionId)
      const reviews = events.filter(
        ({ type, payload }) => type === 'hook_event' && (payload as { status?: string }).status === 'again',
      )
      if (reviews.length + againLeft !== 2) life.problems.push(`${sessionId} has ${againLeft} reviews left`)
      if (
        events.findLastIndex(({ type }) => type === 'model_step') <
        events.findLastIndex(({ type }) => type === 'context_added')
      )
        life.problems.push(`an answer of ${sessionId} was looked at again`)
      return undefined
    },
    model: (request, next) => next({ ...request, settings: { ...request.settings, temperature: 0 } }),
  }
  const userTexts = (prompt: readonly ModelMessage[]) =>
    prompt.flatMap(({ role, content }) => (role === 'user' ? [JSON.stringify(content)] : []))
  const model = stubModel(async (prompt, { temperature }) => {
    if (life.world?.isDead) return never()
    if (prompt[0]?.role === 'system') return { text: lastText(prompt).includes('[d1]') ? 'OK' : '- the source' }
    const texts = userTexts(prompt)
    const session = /Session (\w+)\./.exec(texts.findLast((text) => text.includes('Session ')) ?? '')?.[1]
    const answers = prompt.filter(({ role }) => role === 'assistant').length
    const place = `${session} ${answers}`
    life.requests.set(place, (life.requests.get(place) ?? new Set()).add(JSON.stringify([prompt, temperature])))
    const begin = prompt.findLastIndex(
      ({ role, content }) => role === 'user' && JSON.stringify(content).includes('Session '),
    )
    const made = prompt.slice(begin).filter(({ role }) => role === 'assistant').length
    const isPlanned = texts.some((text) => text.includes('plan so far'))
    const update = isPlanned ? steps('done', 'done') : steps('in_progress', 'pending')
    if (made === 0) return { calls: [['update_plan', update]] }
    return { text: lastText(prompt).includes('the source') ? 'See [d1].' : 'Here. ' }
  })
  return agent({
    name: 'tested',
    model,
    use: [
      retrieval({ search: (query) => [{ id: 'd1', text: `All about ${query}.` }] }),
      plan(),
      watch,
      critic({ criteria: 'The source is named.' }),
      guardrails({ checks: [{ name: 'length', check: (text) => (text.length > 100 ? 'It is long.' : null) }] }),
    ],
  })
}

/** The turns of each session. The first process ends at the given write. */
const live = async (end?: { readonly write: number; readonly after: boolean }) => {
  const life: Process = { requests: new Map(), problems: [] }
  let store = memoryStore()
  let writes = 0
  const boot = async (last?: LoopWorld) => {
    if (last) store = store.reopen()
    const next = new LoopWorld(agentOf(life), store, last?.clock)
    life.world = next
    const strike = () => {
      next.kill()
      throw new Error('killed')
    }
    next.log.before = () => {
      writes += 1
      if (!last && end && !end.after && writes === end.write) strike()
    }
    next.log.after = () => {
      if (!last && end?.after && writes === end.write) strike()
    }
    await next.host.start()
    return next
  }
  let current = await boot()
  for (let round = 0; round < 60; round++) {
    await current.quiet()
    if (current.isDead) {
      current = await boot(current)
      continue
    }
    let isIdle = true
    for (const key of sessions) {
      const events = await current.events(key)
      const turns = events.filter(({ type }) => type === 'turn_end').length
      const asked = events.filter(({ type }) => type === 'prompt_queued').length
      const prompt = prompts[key.id]?.[asked]
      isIdle &&= turns === asked && prompt === undefined
      if (turns === asked && prompt !== undefined) await current.submit(prompt, key).catch(() => {})
      if (current.isDead) break
    }
    if (!isIdle || current.isDead) continue
    const logs = await Promise.all(sessions.map((key) => current.events(key)))
    const answers = await Promise.all(
      sessions.map(async (key) =>
        (await current.host.open(key)).state.conversation.messages.map(({ content }) => content),
      ),
    )
    await current.host.stop()
    return { ...life, logs, answers, writes }
  }
  throw new Error('The turns did not end.')
}

const DECISIONS: ReadonlySet<string> = new Set([
  ...['hook_event', 'context_added', 'retrieval', 'reflection', 'antahkarana', 'step_progress', 'session_checkpoint'],
  ...['memory_set', 'model_step', 'usage', 'tool_outcome', 'turn_end'],
])
/** The decisions of each session in their order, without the times and places of their events. */
const decisionsIn = ({ logs }: Awaited<ReturnType<typeof live>>): unknown[] =>
  logs.map((events) =>
    events.flatMap(({ type, payload }) => {
      if (!DECISIONS.has(type)) return []
      const { resume_cursor, elapsed_ms, sequence, chars, parts, ...rest } = payload as Record<string, unknown>
      return [
        `${type} ${JSON.stringify(rest)}`.replaceAll(/r-\d+/g, 'run').replaceAll(/"(turn_id|trace_id)":"[^"]*"/g, ''),
      ]
    }),
  )

test('[N115] [N117] whenever a process ends, middleware has decided once, and the model reads the same bytes', async () => {
  const undisturbed = await live()
  expect(undisturbed.problems).toEqual([])
  expect([...undisturbed.requests.values()].every(({ size }) => size === 1)).toBe(true)
  expect(undisturbed.answers[0]).toEqual(['tea', 'See [d1].', 'coffee', 'See [d1].'])
  for (const write of places(undisturbed.writes))
    for (const after of [true, false]) {
      const disturbed = await live({ write, after })
      const at = `${write} ${after}`
      expect([at, disturbed.problems]).toEqual([at, []])
      expect([at, disturbed.answers]).toEqual([at, undisturbed.answers])
      expect([at, disturbed.requests]).toEqual([at, undisturbed.requests])
      expect([at, decisionsIn(disturbed)]).toEqual([at, decisionsIn(undisturbed)])
    }
}, 300_000)
