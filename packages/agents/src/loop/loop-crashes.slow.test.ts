// The process ends before or after any write, with three sessions of two agents in it. A ledger outside of all processes says what
// the model and the tools really did.

import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { places } from '../../../../scripts/variants.ts'
import { agent } from '../agent.ts'
import type { ModelMessage } from '../model/model.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, stubModel } from './loop.suite.ts'

const sessions: readonly Key[] = [keyOf('one', 'clerk'), keyOf('two', 'reader'), keyOf('three', 'clerk')]
const prompts = ['first', 'second']

/** Everything that really happened, in all processes. */
class Ledger {
  /** The bytes of each request, by session and number of answers before it. */
  readonly requests = new Map<string, Set<string>>()
  /** How often each call was made, by its step key. */
  readonly calls = new Map<string, number>()
  readonly problems: string[] = []
}

interface Process {
  readonly ledger: Ledger
  world?: LoopWorld
}

const never = () => new Promise<never>(() => {})
const answersIn = (prompt: readonly ModelMessage[]) => prompt.filter(({ role }) => role === 'assistant').length

const agentsOf = (life: Process) => {
  const made = (name: string, effect: 'pure' | 'idempotent' | 'unsafe', approve = false) =>
    tool({
      ...{ name, effect, approve, description: `Does ${name}.`, input: v.object({ n: v.number() }) },
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
      const session = sessions.find(({ id }) => id === (prompt[0]?.role === 'system' ? prompt[0].content : ''))
      const place = `${session?.id} ${answersIn(prompt)}`
      const seen = life.ledger.requests.get(place) ?? new Set()
      life.ledger.requests.set(place, seen.add(JSON.stringify([prompt, options.tools])))
      const committed = session ? (await life.world?.payloads('model_step', session))?.length : -1
      if (committed !== answersIn(prompt)) life.ledger.problems.push(`asked again for a step of ${place}`)
      return answer(prompt, options)
    }
  const steps = (prompt: readonly ModelMessage[]) =>
    answersIn(prompt.slice(prompt.findLastIndex(({ role }) => role === 'user')))
  const clerk: Answering = (prompt) =>
    [
      { thinking: 'Hm. ', text: 'Looking. ', calls: [['read', { n: 1 }] as const, ['read', { n: 2 }] as const] },
      { calls: [['pay', { n: 1 }] as const] },
      { text: 'Paid. ', calls: [['send', { n: 1 }] as const] },
      { calls: [['note', { n: 1 }] as const, ['read', { n: 3 }] as const] },
      { text: `Done:${lastResults(prompt)?.length}:${lastResults(prompt)?.at(-1)}` },
    ][steps(prompt)] ?? { text: 'too many steps' }
  const reader: Answering = (prompt) =>
    steps(prompt) === 0
      ? {
          text: 'Wait. ',
          calls: [
            ['read', { n: 7 }],
            ['read', { n: 8 }],
            ['note', { n: 9 }],
          ],
        }
      : { text: `Read:${lastResults(prompt)?.length}:${lastResults(prompt)?.at(-1)}` }
  const tools = [made('read', 'pure'), made('note', 'idempotent'), made('pay', 'unsafe'), made('send', 'unsafe', true)]
  const instructions = ({ sessionId }: { sessionId: string }) => sessionId
  return {
    clerk: agent({ name: 'clerk', model: stubModel(remembering(clerk)), instructions, tools }),
    reader: agent({ name: 'reader', model: stubModel(remembering(reader)), instructions, tools: tools.slice(0, 2) }),
  }
}

/** Two turns in each session; every question is answered with yes. Processes end at the given writes, one after the other. */
const live = async (ends: readonly { readonly write: number; readonly after: boolean }[]) => {
  const ledger = new Ledger()
  let store = memoryStore()
  let world: LoopWorld | null = null
  let writes = 0
  const boot = async (end: { readonly write: number; readonly after: boolean } | undefined) => {
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
      const prompt = prompts[asked]
      if (turns === asked && prompt !== undefined) {
        idle = false
        await current.submit(prompt, key).catch(() => {})
      } else if (turns < asked) {
        idle = false
        const { open } = (await current.host.open(key).catch(() => null))?.state.approvals ?? { open: {} }
        for (const approvalId of Object.keys(open))
          await current.send({ type: 'approve', approvalId, decision: 'approved' }, key).catch(() => {})
      }
      if (current.isDead) break
    }
    if (idle && !current.isDead) {
      const logs = new Map<string, AnyEvent[]>()
      for (const key of sessions) logs.set(key.id, await current.events(key))
      const answers = await Promise.all(
        sessions.map(async (key) =>
          (await current.host.open(key)).state.conversation.messages.map(({ content }) => content),
        ),
      )
      await current.host.stop()
      return { ledger, logs, answers, writes }
    }
  }
  throw new Error('The turns did not end.')
}

const check = ({ ledger, logs }: Awaited<ReturnType<typeof live>>) => {
  expect(ledger.problems).toEqual([])
  for (const key of sessions) {
    const events = logs.get(key.id) ?? []
    const ids = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map(({ payload }) => (payload as { tool_call_id: string }).tool_call_id)
    expect(ids('tool_outcome').sort()).toEqual(ids('tool_call').sort())
    expect(new Set(ids('tool_outcome')).size).toBe(ids('tool_outcome').length)
    for (const event of events) {
      if (event.type !== 'tool_call') continue
      const { tool_call_id: id, effect } = event.payload
      const times = ledger.calls.get(`${keyText(key)}:${id}`) ?? 0
      const allowed = events.filter(
        (each) =>
          each.type === 'approval_required' &&
          each.payload.tool_call_id === id &&
          each.payload.kind === 'unknown_outcome',
      ).length
      expect(times).toBeGreaterThan(0)
      if (effect === 'unsafe') expect([id, times]).toEqual([id, Math.min(times, 1 + allowed)])
    }
  }
}

test('[N40] whenever a process ends, the turns end as if it had not', async () => {
  const undisturbed = await live([])
  check(undisturbed)
  expect([...undisturbed.ledger.calls.values()].every((times) => times === 1)).toBe(true)
  const isSame = async (...ends: readonly { readonly write: number; readonly after: boolean }[]) => {
    const disturbed = await live(ends)
    check(disturbed)
    expect([ends, disturbed.answers]).toEqual([ends, undisturbed.answers])
    expect([ends, disturbed.ledger.requests]).toEqual([ends, undisturbed.ledger.requests])
  }
  for (const write of places(undisturbed.writes)) for (const after of [true, false]) await isSame({ write, after })
  // The next processes end as well, soon after they have taken the runs up.
  for (let write = 3; write <= undisturbed.writes; write += 9)
    for (const soon of [1, 4, 8])
      await isSame({ write, after: true }, { write: soon, after: false }, { write: soon, after: true })
}, 300_000)
