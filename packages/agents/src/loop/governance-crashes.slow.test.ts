// The process ends before or after any write, with three sessions of two agents in it: middleware, policy and selection have decided
// once, and what they decided holds.

import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { places } from '../../../../scripts/variants.ts'
import { agent } from '../agent.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelMessage } from '../model/model.ts'
import { askQuestion } from '../tools/ask-question.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, stubModel } from './loop.suite.ts'

const sessions: readonly Key[] = [keyOf('one', 'clerk'), keyOf('two', 'reader'), keyOf('three', 'clerk')]
const prompts: Readonly<Record<string, readonly string[]>> = {
  one: ['first', 'second'],
  two: ['only'],
  three: ['only'],
}

const WHERE = { id: 'where', question: 'Where?', options: ['Here', 'There'] }
const WHEN = { id: 'when', question: 'When?', allow_free_text: true }

/** Everything that really happened, in all processes. */
class Ledger {
  readonly requests = new Map<string, Set<string>>()
  readonly calls = new Map<string, number>()
  readonly problems: string[] = []
}

interface Process {
  readonly ledger: Ledger
  world?: LoopWorld
}

/** Tools whose arguments and results the middleware leaves as they are. */
const UNCHANGED: ReadonlySet<string> = new Set(['find_tools', 'ask_question'])

const never = () => new Promise<never>(() => {})
const answersIn = (prompt: readonly ModelMessage[]) => prompt.filter(({ role }) => role === 'assistant').length
const stepsIn = (prompt: readonly ModelMessage[]) =>
  answersIn(prompt.slice(prompt.findLastIndex(({ role }) => role === 'user')))

const agentsOf = (life: Process) => {
  const hasEvent = async (id: string, type: 'tool_call' | 'tool_outcome', callId: string) => {
    const key = sessions.find((each) => each.id === id) ?? keyOf()
    const payloads = (await life.world?.payloads(type, key)) ?? []
    return payloads.some(({ tool_call_id }) => tool_call_id === callId)
  }
  // The decisions follow from the arguments, so that the bytes of all requests can be compared.
  const governor: Middleware = {
    name: 'governor',
    before: async ({ sessionId, callId, tool: name, input }) => {
      if (life.world?.isDead) return never()
      if (await hasEvent(sessionId, 'tool_call', callId)) life.ledger.problems.push(`before was asked again: ${callId}`)
      if (UNCHANGED.has(name)) return undefined
      return input.n === 13 ? { deny: 'Not that one.' } : { input: { n: Number(input.n) + 100 } }
    },
    after: async ({ sessionId, callId, tool: name }, result) => {
      if (life.world?.isDead) return never()
      if (await hasEvent(sessionId, 'tool_outcome', callId))
        life.ledger.problems.push(`after was asked again: ${callId}`)
      return UNCHANGED.has(name) ? undefined : `seen: ${String(result)}`
    },
  }
  const made = (name: string, effect: 'pure' | 'idempotent' | 'unsafe', description = `Does ${name}.`, always = true) =>
    tool({
      ...{ name, effect, description, always, input: v.object({ n: v.number() }) },
      run: async ({ n }, { stepKey }) => {
        if (life.world?.isDead) return never()
        life.ledger.calls.set(stepKey, (life.ledger.calls.get(stepKey) ?? 0) + 1)
        return `${name} ${n}`
      },
    })
  const remembering =
    (answer: Answering): Answering =>
    async (prompt, options) => {
      if (life.world?.isDead) return never()
      const id = prompt[0]?.role === 'system' ? prompt[0].content : ''
      const place = `${id} ${answersIn(prompt)}`
      const seen = life.ledger.requests.get(place) ?? new Set()
      life.ledger.requests.set(place, seen.add(JSON.stringify([prompt, options.tools])))
      return answer(prompt, options)
    }
  const clerk: Answering = (prompt) =>
    [
      { calls: [['read', { n: '1' }] as const, ['read', { n: 13 }] as const] },
      { calls: [['find_tools', { query: 'rare birds' }] as const] },
      { text: 'Sending. ', calls: [['send', { n: 2 }] as const, ['rare_bird', { n: 3 }] as const] },
      { text: 'Done.' },
    ][stepsIn(prompt)] ?? { text: 'too many steps' }
  const reader: Answering = (prompt) =>
    [
      { calls: [['Read', { n: 4 }] as const, ['send', { n: 5 }] as const] },
      { calls: [['ask_question', { questions: [WHERE] }] as const, ['ask_question', { questions: [WHEN] }] as const] },
      { text: 'Read.' },
    ][stepsIn(prompt)] ?? { text: 'too many steps' }
  const tools = [made('read', 'pure'), made('send', 'unsafe')]
  const many = Array.from({ length: 30 }, (_, index) => made(`other${index}`, 'pure', 'Something else.', false))
  const rare = made('rare_bird', 'idempotent', 'Counts rare birds.', false)
  const common = {
    instructions: ({ sessionId }: { sessionId: string }) => sessionId,
    use: [governor],
    policy: [{ tool: 'send', do: 'ask', once: true } as const, { tool: 'read', do: 'allow' } as const],
  }
  return {
    clerk: agent({ ...common, name: 'clerk', model: stubModel(remembering(clerk)), tools: [...tools, ...many, rare] }),
    reader: agent({
      ...common,
      name: 'reader',
      model: stubModel(remembering(reader)),
      tools: [...tools, askQuestion()],
    }),
  }
}

interface ProcessEnd {
  readonly write: number
  readonly after: boolean
}

/** All turns of each session; every question is answered with yes. Processes end at the given writes, one after the other. */
const live = async (ends: readonly ProcessEnd[]) => {
  const ledger = new Ledger()
  let store = memoryStore()
  let world: LoopWorld | null = null
  let writes = 0
  const boot = async (end: ProcessEnd | undefined) => {
    const life: Process = { ledger }
    if (world) store = store.reopen()
    const next = new LoopWorld(agentsOf(life), store, world?.clock)
    life.world = next
    world = next
    writes = 0
    const strike = () => {
      next.kill()
      throw new Error('killed')
    }
    next.log.before = () => {
      writes += 1
      if (end && !end.after && writes === end.write) strike()
    }
    next.log.after = () => {
      if (end?.after && writes === end.write) strike()
    }
    await next.host.start()
    return next
  }
  const queue = [...ends]
  let current = await boot(queue.shift())
  for (let round = 0; round < 60; round++) {
    await current.quiet()
    if (current.isDead) {
      current = await boot(queue.shift())
      continue
    }
    let idle = true
    for (const key of sessions) {
      const events = await current.events(key)
      const turns = events.filter(({ type }) => type === 'turn_end').length
      const asked = events.filter(({ type }) => type === 'prompt_queued').length
      const prompt = prompts[key.id]?.[asked]
      if (turns === asked && prompt !== undefined) {
        idle = false
        await current.submit(prompt, key).catch(() => {})
      } else if (turns < asked) {
        idle = false
        const { approvals } = (await current.host.open(key).catch(() => null))?.state ?? {}
        for (const { id: approvalId, questions } of Object.values(approvals?.open ?? {})) {
          const answers = questions && Object.fromEntries(questions.map((each) => [each.id, 'There']))
          const given = answers ? { answers } : {}
          await current.send({ type: 'approve', approvalId, decision: 'approved', ...given }, key).catch(() => {})
        }
      }
      if (current.isDead) break
    }
    if (idle && !current.isDead) {
      const logs = new Map<string, AnyEvent[]>()
      for (const key of sessions) logs.set(key.id, await current.events(key))
      await current.host.stop()
      return { ledger, logs, writes }
    }
  }
  throw new Error('The turns did not end.')
}

/** The decisions in a session, in order; questions after a crash are none. */
const decisionsIn = (events: readonly AnyEvent[]) =>
  events.flatMap((event): unknown[] => {
    const { type } = event
    if (type === 'hook_event') return [[event.payload.phase, event.payload.status, event.payload.tool_call_id]]
    if (type === 'policy_decision' && event.payload.rule) return [[event.payload.outcome, event.payload.tool_call_id]]
    if (type === 'turn_start_tools') return [event.payload]
    if (type === 'tool_call') return [[event.payload.name, event.payload.arguments]]
    if (type === 'tool_outcome')
      return [[event.payload.tool_call_id, event.payload.status, event.payload.result ?? null]]
    if (type === 'tool_selected') return [event.payload]
    return []
  })

/** Runs have the number of their first event, which a crash moves. */
const sortedDecisions = (events: readonly AnyEvent[]) => {
  const runs = events.flatMap((event) => (event.type === 'prompt_queued' ? [event.payload.run_id] : []))
  const name = (run: string) => `run ${runs.indexOf(run) + 1}`
  return decisionsIn(events)
    .map((each) => JSON.stringify(each).replaceAll(/r-\d+/g, name))
    .sort()
}

const check = ({ ledger, logs }: Awaited<ReturnType<typeof live>>) => {
  expect(ledger.problems).toEqual([])
  for (const key of sessions) {
    const events = logs.get(key.id) ?? []
    const questions = events.filter((event) => event.type === 'approval_required' && event.payload.kind === 'tool')
    // The rule asks once in a session.
    expect(questions).toHaveLength(1)
    const asked = events.filter((event) => event.type === 'approval_required' && event.payload.kind === 'question')
    expect(asked).toHaveLength(key.agent === 'reader' ? 2 : 0)
    for (const event of events) {
      if (event.type !== 'tool_call' || event.payload.effect !== 'unsafe') continue
      const { tool_call_id: id } = event.payload
      const repeats = events.filter(
        (each) =>
          each.type === 'approval_required' &&
          each.payload.tool_call_id === id &&
          each.payload.kind === 'unknown_outcome',
      ).length
      expect(ledger.calls.get(`${keyText(key)}:${id}`) ?? 0).toBeLessThanOrEqual(1 + repeats)
    }
  }
}

test('[N93] [N96] [N102] [N103] [N251] whenever a process ends, nothing is decided twice, and the turns end as if it had not', async () => {
  const undisturbed = await live([])
  check(undisturbed)
  expect(undisturbed.logs.get('one')?.filter(({ type }) => type === 'tool_selected')).toHaveLength(2)
  const isSame = async (...ends: readonly ProcessEnd[]) => {
    const disturbed = await live(ends)
    check(disturbed)
    expect([ends, disturbed.ledger.requests]).toEqual([ends, undisturbed.ledger.requests])
    for (const { id } of sessions) {
      const decisions = sortedDecisions(disturbed.logs.get(id) ?? [])
      expect([ends, id, decisions]).toEqual([ends, id, sortedDecisions(undisturbed.logs.get(id) ?? [])])
    }
  }
  for (const write of places(undisturbed.writes)) for (const after of [true, false]) await isSame({ write, after })
  // The next processes end as well, soon after they have taken the runs up.
  for (let write = 4; write <= undisturbed.writes; write += 12)
    await isSame({ write, after: true }, { write: 3, after: false }, { write: 5, after: true })
}, 300_000)
