// A child that starts after the run that wanted it has ended: its start was on its way meanwhile.

import { hostChildSessions, startChild } from '@bridle/kernel/host/child-sessions'
import type { ChildSessions } from '@bridle/kernel/ports/child-sessions'
import { statusOf } from '@bridle/kernel/projections/state'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { keyOf, LoopWorld, lastResults, stubModel } from '../loop/loop.suite.ts'
import { tool } from '../tools/tool.ts'
import { subagent } from './subagent.ts'

const waiting = tool({ name: 'wait', description: 'Waits for a person.', approve: true, run: () => 'done' })
const helper = agent({
  name: 'helper',
  tools: [waiting],
  model: stubModel((prompt) => (lastResults(prompt) ? { text: 'ok' } : { calls: [['wait', {}]] })),
})
const editor = agent({
  name: 'editor',
  use: [subagent({ agents: [helper] })],
  model: stubModel((prompt) => (lastResults(prompt) ? { text: 'ok' } : { calls: [['ask_helper', { task: 'x' }]] })),
})

test('[N127] a child that starts behind the end of its run is cancelled, and no other child is', async () => {
  const held: (() => void)[] = []
  let start: ChildSessions['start'] = async () => null
  const children: ChildSessions = {
    start: async (child) => {
      if (child.parent.id !== 'other') await new Promise<void>((resolve) => held.push(resolve))
      return start(child)
    },
    result: async () => ({ value: 'unused' }),
  }
  const world = new LoopWorld({ editor }, undefined, undefined, undefined, { children })
  start = hostChildSessions(() => world.host).start
  const keys = ['one', 'two', 'other'].map((id) => keyOf(id, 'editor'))
  for (const key of keys) await world.submit('go', key)
  for (let round = 0; round < 6; round++) await world.quiet()
  expect(held).toHaveLength(2)
  for (const key of keys.slice(0, 2)) await world.send({ type: 'cancel' }, key)
  for (let round = 0; round < 6; round++) await world.quiet()
  for (const go of held) go()
  for (let round = 0; round < 12; round++) await world.quiet()
  const states = await Promise.all(
    keys.map(async ({ id }) => {
      const { sessions } = await world.store.directory.list('acme', { parentId: id, limit: 10 })
      return Promise.all(sessions.map(async ({ key }) => statusOf((await world.host.open(key)).state)))
    }),
  )
  expect(states).toEqual([['cancelled'], ['cancelled'], ['awaiting_approval']])
  for (const key of keys.slice(0, 2)) expect((await world.host.open(key)).state.delegations).toEqual({})
})

test('[N128] a child that has told of itself and is gone is not started a second time', async () => {
  const sent: unknown[] = []
  const host = {
    find: async () => null,
    send: async (_key: unknown, command: unknown) => {
      sent.push(command)
      return {}
    },
  } as unknown as Parameters<typeof startChild>[0]
  const [parent, child] = [keyOf('one', 'editor'), keyOf('task', 'editor.helper')]
  const start = { parent, child, prompt: 'x', settings: {}, policy: {}, depth: 1 }
  expect(await startChild(host, { ...start, isKnown: true }, null)).toBe('The session of the agent was removed.')
  expect(sent).toEqual([])
  expect(await startChild(host, { ...start, isKnown: false }, null)).toBe(null)
  expect(sent).toHaveLength(1)
})
