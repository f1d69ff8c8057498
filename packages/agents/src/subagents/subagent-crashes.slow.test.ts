// The process ends before or after any write, of parents and of children alike. A ledger outside of all processes says what the tools
// really did.

import { type Key, keyText } from '@bridle/kernel/event'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { places } from '../../../../scripts/variants.ts'
import { agent } from '../agent.ts'
import { keyOf, LoopWorld, lastResults, lastText, stubModel } from '../loop/loop.suite.ts'
import { tool } from '../tools/tool.ts'
import { subagent } from './subagent.ts'

interface Process {
  readonly calls: Map<string, number>
  world?: LoopWorld
}

const parents: readonly Key[] = [keyOf('one', 'editor'), keyOf('two', 'editor')]
const never = () => new Promise<never>(() => {})

const editorOf = (life: Process) => {
  const alive = async <T>(value: T): Promise<T> => (life.world?.isDead ? never() : value)
  const send = tool({
    ...{ name: 'send', description: 'Sends.', input: v.object({ to: v.string() }), approve: true },
    run: async ({ to }, { stepKey }) => {
      if (life.world?.isDead) return never()
      life.calls.set(stepKey, (life.calls.get(stepKey) ?? 0) + 1)
      return to
    },
  })
  const sender = agent({
    name: 'sender',
    tools: [send],
    model: stubModel((prompt) => {
      const results = lastResults(prompt)
      return alive(results ? { text: `sent ${results[0]}` } : { calls: [['send', { to: lastText(prompt) }]] })
    }),
  })
  const thinker = agent({ name: 'thinker', model: stubModel((prompt) => alive({ text: `hm ${lastText(prompt)}` })) })
  return agent({
    name: 'editor',
    use: [subagent({ agents: [sender, thinker] })],
    model: stubModel((prompt) => {
      const results = lastResults(prompt)
      const task = lastText(prompt)
      return alive(
        results
          ? { text: results.join(', ') }
          : {
              calls: [
                ['ask_sender', { task }],
                ['ask_thinker', { task }],
              ],
            },
      )
    }),
  })
}

/** Every session of the store, children included. */
const allKeys = async ({ store }: LoopWorld): Promise<Key[]> =>
  (await store.directory.list('acme', { limit: 100 })).sessions.map(({ key }) => key)

/** Plays one turn of each parent; every question is answered with yes. Processes end at the given writes, one after the other. */
const live = async (ends: readonly { readonly write: number; readonly after: boolean }[]) => {
  const calls = new Map<string, number>()
  let store = memoryStore()
  let world: LoopWorld | null = null
  let writes = 0
  const boot = async (end: { readonly write: number; readonly after: boolean } | undefined) => {
    const life: Process = { calls }
    if (world) store = store.reopen()
    const next = new LoopWorld({ editor: editorOf(life) }, store, world?.clock)
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
    let isIdle = true
    for (const key of [...parents, ...(await allKeys(current))]) {
      const events = await current.events(key)
      if (events.some(({ type }) => type === 'turn_end')) continue
      isIdle = false
      const isParent = parents.includes(key)
      if (isParent && events.length === 0) await current.submit(key.id, key).catch(() => {})
      const { open } = (await current.host.open(key).catch(() => null))?.state.approvals ?? { open: {} }
      for (const approvalId of Object.keys(open))
        await current.send({ type: 'approve', approvalId, decision: 'approved' }, key).catch(() => {})
      if (current.isDead) break
    }
    if (isIdle && !current.isDead) return { calls, world: current, writes }
  }
  throw new Error('The turns did not end.')
}

const check = async ({ calls, world }: Awaited<ReturnType<typeof live>>) => {
  await world.quiet()
  const keys = await allKeys(world)
  expect(keys.map(({ agent }) => agent).sort()).toEqual([
    ...['editor', 'editor', 'editor.sender', 'editor.sender', 'editor.thinker', 'editor.thinker'],
  ])
  for (const key of parents) {
    expect(await world.result(key)).toBe(`sent ${key.id}, hm ${key.id}`)
    expect((await world.outcomes(key)).sort()).toEqual(['ask_sender ok', 'ask_thinker ok'])
    expect((await world.host.open(key)).state.delegations).toEqual({})
    const told = (await world.payloads('subagent_event', key)).map(({ status }) => status)
    expect(told.filter((status) => status === 'started')).toHaveLength(2)
    expect(told.filter((status) => status === 'completed')).toHaveLength(2)
  }
  for (const key of keys.filter(({ agent }) => agent === 'editor.sender')) {
    const asked = await world.payloads('approval_required', key)
    const repeats = asked.filter(({ kind }) => kind === 'unknown_outcome').length
    const made = [...calls].filter(([stepKey]) => stepKey.startsWith(`${keyText(key)}:`))
    expect(made).toHaveLength(1)
    expect(made[0]?.[1]).toBeLessThanOrEqual(1 + repeats)
  }
  await world.host.stop()
}

test('[N132] a process that ends at any write leaves each child once, and each deed once', async () => {
  const undisturbed = await live([])
  await check(undisturbed)
  // After a write and before the next one differ in the answer that is lost.
  for (const write of places(undisturbed.writes)) await check(await live([{ write, after: write % 2 === 0 }]))
})

test('[N132] and so do several that end one after the other', async () => {
  const { writes } = await live([])
  for (let seed = 1; seed <= 15; seed++) {
    const ends = [5, 7, 11].map((prime) => ({ write: 1 + ((seed * prime) % writes), after: (seed + prime) % 2 === 0 }))
    await check(await live(ends))
  }
})
