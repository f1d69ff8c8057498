// Tasks of a run that other agents do in sessions of their own, on the memory store.

import type { Key } from '@bridle/kernel/event'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { keyOf, LoopWorld, lastResults, lastText, stubModel } from '../loop/loop.suite.ts'
import type { ModelMessage } from '../model/model.ts'
import { tool } from '../tools/tool.ts'
import { subagent } from './subagent.ts'

const sessionsBelow = async ({ store }: LoopWorld, { id }: Key): Promise<Key[]> =>
  (await store.directory.list('acme', { parentId: id, limit: 100 })).sessions.map(({ key }) => key)

const answered = (prompt: readonly ModelMessage[]) => lastResults(prompt)

const researcher = agent({
  name: 'researcher',
  description: 'Finds facts.',
  model: stubModel((prompt) => ({ text: `facts about ${lastText(prompt)}` })),
})

const writer = agent({
  name: 'writer',
  description: 'Writes.',
  input: v.object({ topic: v.string(), words: v.number() }),
  output: v.object({ text: v.string() }),
  model: stubModel(() => ({ calls: [['answer', { text: 'done' }]] })),
})

const parent = agent({
  name: 'editor',
  model: stubModel((prompt) => {
    const results = answered(prompt)
    if (results) return { text: `Got ${JSON.stringify(results)}` }
    const topic = lastText(prompt)
    return {
      calls: [
        ['ask_researcher', { task: topic }],
        ['ask_writer', { topic, words: 3 }],
      ],
    }
  }),
  use: [subagent({ agents: [researcher, writer] })],
})

test('[N125] three parents give two tasks each, in two turns, to sessions of their own', async () => {
  const world = new LoopWorld({ editor: parent })
  const keys = ['one', 'two', 'three'].map((id) => keyOf(id, 'editor'))
  for (const turn of ['a', 'b']) {
    await Promise.all(keys.map((key) => world.submit(`${key.id}-${turn}`, key)))
    await world.quiet()
    await world.quiet()
    for (const key of keys)
      expect(await world.result(key)).toBe(`Got ["facts about ${key.id}-${turn}",{"text":"done"}]`)
  }
  for (const key of keys) {
    const children = await sessionsBelow(world, key)
    expect(children.map((child) => child.agent).sort()).toEqual([
      'editor.researcher',
      'editor.researcher',
      'editor.writer',
      'editor.writer',
    ])
    const events = await world.payloads('subagent_event', key)
    for (const { id } of children) {
      const statuses = events.filter(({ session_id }) => session_id === id).map(({ status }) => status)
      expect([statuses[0], statuses.at(-1)]).toEqual(['started', 'completed'])
    }
  }
})

test('[F61] a call names the session that does it, and its time is that of the whole call', async () => {
  const starts: (() => void)[] = []
  const slow = agent({
    name: 'slow',
    description: 'Takes its time.',
    model: stubModel((prompt) => (answered(prompt) ? { text: 'late' } : { calls: [['wait', {}]] })),
    tools: [
      tool({
        name: 'wait',
        description: 'Waits.',
        effect: 'pure',
        run: () => new Promise<string>((done) => starts.push(() => done('ok'))),
      }),
    ],
  })
  const asking = agent({
    name: 'editor',
    model: stubModel((prompt) =>
      answered(prompt)
        ? { text: 'both' }
        : {
            calls: [
              ['ask_slow', { task: 'a' }],
              ['ask_researcher', { task: 'b' }],
            ],
          },
    ),
    use: [subagent({ agents: [slow, researcher] })],
  })
  const world = new LoopWorld({ editor: asking })
  const keys = ['one', 'two', 'three'].map((id) => keyOf(id, 'editor'))
  await Promise.all(keys.map((key) => world.submit('go', key)))
  for (let round = 0; round < 20 && starts.length < keys.length; round++) await world.quiet()
  await world.clock.pass(7_000)
  for (const start of starts) start()
  for (let round = 0; round < 4; round++) await world.quiet()
  for (const key of keys) {
    const { conversation } = (await world.host.open(key)).state
    const [first, second] = conversation.messages.at(-1)?.toolCalls ?? []
    expect([first?.child?.agent, second?.child?.agent]).toEqual(['editor.slow', 'editor.researcher'])
    expect((await sessionsBelow(world, key)).map(({ id }) => id).sort()).toEqual(
      [first?.child?.id, second?.child?.id].sort(),
    )
    const elapsed = (await world.payloads('tool_outcome', key)).map(({ tool_name, elapsed_ms }) => [
      tool_name,
      elapsed_ms,
    ])
    expect(elapsed).toEqual(
      expect.arrayContaining([
        ['ask_slow', 7_000],
        ['ask_researcher', 0],
      ]),
    )
  }
})

test('[N125] a child belongs to the owner of its parent, and tells the parent that started it', async () => {
  const world = new LoopWorld({ other: researcher, editor: parent, reader: parent })
  // Sessions of several agents share the id; the first one has no children.
  const keys = ['other', 'editor', 'reader'].map((name) => keyOf('shared', name))
  for (const [index, key] of keys.entries())
    await world.send(
      {
        ...{ type: 'submit', prompt: `p${index}`, owner: `user:${key.agent}` },
        opening: { settings: { workspace_path: `/folders/${key.agent}`, model: 'm' } },
      },
      key,
    )
  await world.quiet()
  await world.quiet()
  const children = await sessionsBelow(world, keyOf('shared'))
  expect(children).toHaveLength(4)
  for (const child of children) {
    const { lifecycle } = (await world.host.open(child)).state
    const [above] = child.agent.split('.')
    expect(lifecycle).toMatchObject({ kind: 'background', owner: `user:${above}`, parentSessionId: 'shared' })
    expect(lifecycle.settings).toEqual({ workspace_path: `/folders/${above}` })
  }
  const [other, ...asking] = keys
  expect(await world.payloads('subagent_event', other)).toEqual([])
  for (const key of asking) {
    const told = await world.payloads('subagent_event', key)
    expect(told.every(({ agent: name }) => name?.startsWith(`${key.agent}.`))).toBe(true)
    expect(await world.result(key)).toContain('facts about')
  }
})

test('[N125] another session that has the id of a child is not taken for it', async () => {
  const world = new LoopWorld({ editor: parent })
  const probe = new LoopWorld({ editor: parent })
  const key = keyOf('one', 'editor')
  await probe.ask('x', key)
  await probe.quiet()
  for (const child of await sessionsBelow(probe, key)) await world.submit('mine', child)
  await world.ask('x', key)
  await world.quiet()
  expect(await world.outcomes(key)).toEqual(['ask_researcher error child_refused', 'ask_writer error child_refused'])
  expect((await world.host.open(key)).state.delegations).toEqual({})
  for (const child of await sessionsBelow(probe, key))
    expect(await world.payloads('cancel_requested', child)).toEqual([])
})
