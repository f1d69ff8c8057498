// The rules of tasks that other agents do: waiting, cancelling, failing, limits and budgets, on the memory store.

import type { SessionOptions } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import { statusOf } from '@bridle/kernel/projections/state'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { type AgentDefinition, agent } from '../agent.ts'
import { keyOf, LoopWorld, lastResults, lastText, type Reply, stubModel } from '../loop/loop.suite.ts'
import { tool } from '../tools/tool.ts'
import { type SubagentOptions, subagent } from './subagent.ts'

const send = (sent: string[] = []) =>
  tool({
    ...{ name: 'send', description: 'Sends.', input: v.object({ to: v.string() }), approve: true },
    run: ({ to }) => {
      sent.push(to)
      return `sent to ${to}`
    },
  })

/** Asks a person before it sends, then says so. */
const sender = (sent?: string[]) =>
  agent({
    name: 'sender',
    tools: [send(sent)],
    model: stubModel((prompt) => {
      const results = lastResults(prompt)
      return results ? { text: `It was ${results[0]}.` } : { calls: [['send', { to: lastText(prompt) }]] }
    }),
  })

/** A prompt for a turn in progress; the calls stand before it. */
const STEER = 'and hurry'

const asking = (options: SubagentOptions, calls: (prompt: string) => NonNullable<Reply['calls']>): AgentDefinition =>
  agent({
    name: 'editor',
    use: [subagent(options)],
    model: stubModel((prompt) => {
      const results = lastResults(lastText(prompt) === STEER ? prompt.slice(0, -1) : prompt)
      return results ? { text: results.map(String).join('; ') } : { calls: calls(lastText(prompt)) }
    }),
  })

const childrenOf = async ({ store }: LoopWorld, { id }: Key): Promise<Key[]> =>
  (await store.directory.list('acme', { parentId: id, limit: 100 })).sessions.map(({ key }) => key)

const settle = async (world: LoopWorld) => {
  for (let round = 0; round < 6; round++) await world.quiet()
}

const keys = ['one', 'two', 'three'].map((id) => keyOf(id, 'editor'))

/** Nothing is wanted for the session: no run in hand, no timer. */
const isWaiting = async (world: LoopWorld, key: Key) => {
  const session = await world.host.open(key)
  return session.state.course.wait?.until === null && !session.isWorking
}

const status = async (world: LoopWorld, key: Key) => statusOf((await world.host.open(key)).state)

describe('[N126] a parent waits for a child that waits for a person', () => {
  test.each([['in the same process'], ['in another process']])('and goes on %s', async (where) => {
    const sent: string[] = []
    const editor = asking({ agents: [sender(sent)] }, (prompt) => [['ask_sender', { task: prompt }]])
    let world = new LoopWorld({ editor })
    for (const key of keys) await world.submit(`mail ${key.id}`, key)
    await settle(world)
    if (where === 'in another process') world = await world.again()
    for (const key of keys) {
      expect(await isWaiting(world, key)).toBe(true)
      const [child] = await childrenOf(world, key)
      if (!child) throw new Error('There is no child.')
      expect(await status(world, child)).toBe('awaiting_approval')
      await world.approve('approved', undefined, child)
      await settle(world)
      expect(await world.result(key)).toBe(`It was sent to mail ${key.id}.`)
    }
    expect(sent).toEqual(keys.map(({ id }) => `mail ${id}`))
    expect(await Promise.all(keys.map(async (key) => (await childrenOf(world, key)).length))).toEqual([1, 1, 1])
  })

  test('and a prompt that comes meanwhile is read afterwards', async () => {
    const editor = asking({ agents: [sender()] }, (prompt) => [['ask_sender', { task: prompt }]])
    const world = new LoopWorld({ editor })
    const [key = keyOf()] = keys
    await world.submit('mail', key)
    await settle(world)
    await world.send({ type: 'steer', prompt: STEER }, key)
    await settle(world)
    expect(await isWaiting(world, key)).toBe(true)
    const [child = key] = await childrenOf(world, key)
    await world.approve('approved', undefined, child)
    await settle(world)
    expect(await world.payloads('turn_end', key)).toHaveLength(1)
    expect(await childrenOf(world, key)).toHaveLength(1)
  })
})

describe('[N127] a run that no longer waits for a child cancels it', () => {
  test.each([['in the same process'], ['in another process']])('%s', async (where) => {
    const editor = asking({ agents: [sender()] }, () => [
      ['ask_sender', { task: 'a' }],
      ['ask_sender', { task: 'b' }],
    ])
    let world = new LoopWorld({ editor })
    for (const key of keys) await world.submit('go', key)
    await settle(world)
    if (where === 'in another process') world = await world.again()
    const [first = keyOf(), second = keyOf()] = keys
    await world.send({ type: 'cancel' }, first)
    await settle(world)
    expect((await world.payloads('turn_end', first)).at(-1)?.status).toBe('cancelled')
    for (const child of await childrenOf(world, first)) expect(await status(world, child)).toBe('cancelled')
    expect((await world.host.open(first)).state.delegations).toEqual({})
    for (const child of await childrenOf(world, second)) expect(await status(world, child)).toBe('awaiting_approval')
  })

  test('also where the parent is removed', async () => {
    const world = new LoopWorld({ editor: asking({ agents: [sender()] }, () => [['ask_sender', { task: 'a' }]]) })
    for (const key of keys) await world.submit('go', key)
    await settle(world)
    const [removed = keyOf(), kept = keyOf()] = keys
    const [orphan = removed] = await childrenOf(world, removed)
    expect(await world.host.remove(removed)).toBe(true)
    await settle(world)
    expect(await status(world, orphan)).toBe('cancelled')
    const [other = kept] = await childrenOf(world, kept)
    expect(await status(world, other)).toBe('awaiting_approval')
  })

  test('also below the child, and the next turn starts others', async () => {
    const middle = agent({
      name: 'middle',
      use: [subagent({ agents: [sender()] })],
      model: stubModel((prompt) =>
        lastResults(prompt) ? { text: 'ok' } : { calls: [['ask_sender', { task: lastText(prompt) }]] },
      ),
    })
    const world = new LoopWorld({ editor: asking({ agents: [middle] }, () => [['ask_middle', { task: 'x' }]]) })
    const [key = keyOf()] = keys
    await world.submit('go', key)
    await settle(world)
    const [child = key] = await childrenOf(world, key)
    const [grandchild = key] = await childrenOf(world, child)
    expect([child.agent, grandchild.agent]).toEqual(['editor.middle', 'editor.middle.sender'])
    await world.send({ type: 'cancel' }, key)
    await settle(world)
    expect([await status(world, child), await status(world, grandchild)]).toEqual(['cancelled', 'cancelled'])
    await world.submit('again', key)
    await settle(world)
    expect(await childrenOf(world, key)).toHaveLength(2)
  })
})

describe('[N128] a child without a result is an error that the model reads', () => {
  const failing = agent({
    name: 'failing',
    run: () => {
      throw new Error('no paper')
    },
  })

  test('a child that fails', async () => {
    const world = new LoopWorld({ editor: asking({ agents: [failing] }, () => [['ask_failing', { task: 'x' }]]) })
    for (const key of keys) await world.ask('go', key)
    await settle(world)
    for (const key of keys) expect(await world.result(key)).toBe('The agent failed: no paper')
    expect(await world.outcomes(keys[0])).toEqual(['ask_failing error'])
  })

  test('a child that a person cancels, and one that is removed', async () => {
    const editor = asking({ agents: [sender()] }, () => [['ask_sender', { task: 'x' }]])
    const world = new LoopWorld({ editor })
    const [cancelled = keyOf(), removed = keyOf()] = keys
    for (const key of [cancelled, removed]) await world.submit('go', key)
    await settle(world)
    const [first = cancelled] = await childrenOf(world, cancelled)
    await world.send({ type: 'cancel' }, first)
    const [second = removed] = await childrenOf(world, removed)
    await world.host.remove(second)
    await settle(world)
    expect(await world.result(cancelled)).toBe('The work of the agent was cancelled.')
    expect(await world.result(removed)).toBe('The session of the agent was removed.')
  })

  test('a child whose agent is gone after a restart', async () => {
    const options = (agents: SubagentOptions['agents']) => asking({ agents }, () => [['ask_sender', { task: 'x' }]])
    const world = new LoopWorld({ editor: options([sender()]) })
    const [key = keyOf()] = keys
    await world.submit('go', key)
    await settle(world)
    const [child = key] = await childrenOf(world, key)
    const next = await world.again({ editor: options([failing]) })
    await settle(next)
    // Nothing wakes the parent before somebody looks at it: then its tool is gone, and so is the reason to wait.
    await next.send({ type: 'steer', prompt: STEER }, key)
    await settle(next)
    expect(await next.outcomes(key)).toEqual(['ask_sender error tool_gone'])
    expect((await next.payloads('turn_end', key)).at(-1)?.status).toBe('completed')
    expect((await next.host.open(key)).state.delegations).toEqual({})
    expect(child.agent).toBe('editor.sender')
  })
})

describe('[N128] a child that cannot be reached', () => {
  const talker = agent({ name: 'talker', model: stubModel(() => ({ text: 'hello' })) })
  const editor = asking({ agents: [talker] }, () => [['ask_talker', { task: 'x' }]])
  const worldWith = (failures: number) => {
    let left = failures
    const whileUp = async <T>(act: () => Promise<T>): Promise<T> => {
      left -= 1
      if (left >= 0) throw new Error('the line is dead')
      return act()
    }
    const world: LoopWorld = new LoopWorld({ editor }, undefined, undefined, undefined, {
      children: {
        start: (child) => whileUp(() => hostChildSessions(() => world.host).start(child)),
        result: (child) => whileUp(() => hostChildSessions(() => world.host).result(child)),
      },
    })
    return world
  }

  test.each([
    ['is tried again, and works', 3, 'hello'],
    ['fails the call in the end, and the turn goes on', 100, 'The agent cannot be reached: the line is dead'],
  ])('%s', async (_name, failures, result) => {
    const world = worldWith(failures)
    for (const key of keys.slice(0, 1)) {
      await world.submit('go', key)
      for (let round = 0; round < 12; round++) {
        await settle(world)
        await world.clock.pass(20_000)
      }
      await settle(world)
      expect(await world.result(key)).toBe(result)
      const retries = await world.payloads('transport_diagnostic', key)
      expect(retries.filter(({ kind }) => kind === 'subagent')).toHaveLength(Math.min(failures, 5))
      expect((await world.host.open(key)).state.delegations).toEqual({})
    }
  })
})

describe('[N129] the number of children has limits', () => {
  test('calls above the number at once start when another child has ended', async () => {
    const sent: string[] = []
    const editor = asking({ agents: [sender(sent)], maxAtOnce: 2 }, () =>
      ['a', 'b', 'c'].map((task) => ['ask_sender', { task }] as const),
    )
    const world = new LoopWorld({ editor })
    const [key = keyOf()] = keys
    await world.submit('go', key)
    await settle(world)
    for (const count of [2, 3, 3]) {
      const children = await childrenOf(world, key)
      expect(children).toHaveLength(count)
      const states = await Promise.all(children.map((child) => status(world, child)))
      const child = children[states.indexOf('awaiting_approval')]
      if (child) await world.approve('approved', undefined, child)
      await settle(world)
    }
    expect(sent.sort()).toEqual(['a', 'b', 'c'])
    expect(await world.result(key)).toBe('It was sent to a.; It was sent to b.; It was sent to c.')
  })

  test('four sessions may be above a child, and no more', async () => {
    const asks = (name: string, below: AgentDefinition, maxDepth?: number) =>
      agent({
        name,
        use: [subagent({ agents: [{ name: 'below', agent: below }], ...(maxDepth && { maxDepth }) })],
        model: stubModel((prompt) => {
          const results = lastResults(prompt)
          return results ? { text: `${name}(${results[0]})` } : { calls: [['ask_below', { task: 'x' }]] }
        }),
      })
    const leaf = agent({ name: 'leaf', model: stubModel(() => ({ text: 'leaf' })) })
    const deep = ['e', 'd', 'c', 'b'].reduce((below, name) => asks(name, below), asks('f', leaf))
    const world = new LoopWorld({ deep: asks('a', deep), shallow: asks('a', asks('b', leaf), 1) })
    await world.submit('go', keyOf('deep', 'deep'))
    await world.submit('go', keyOf('shallow', 'shallow'))
    for (let round = 0; round < 4; round++) await settle(world)
    const refused = 'The call was not made: 4 sessions above this one wait for it. Do the task here.'
    expect(await world.result(keyOf('deep', 'deep'))).toBe(`a(b(c(d(e(${refused})))))`)
    expect(await world.result(keyOf('shallow', 'shallow'))).toBe('a(b(leaf))')
  })

  test.each([
    ['an empty list', { agents: [] }, 'it takes a list: subagent({ agents: [researcher] }).'],
    ['no agent', { agents: [{}] }, 'an entry of agents is neither an agent nor { name, description, agent }.'],
    [
      'two of a name',
      { agents: [sender(), sender()] },
      'two agents have the name "sender", or nearly so. Give one of them another.',
    ],
    ['too deep', { agents: [sender()], maxDepth: 5 }, 'maxDepth is not a whole number from 1 to 4.'],
    ['none at once', { agents: [sender()], maxAtOnce: 0 }, 'maxAtOnce is not a whole number from 1 to 8.'],
  ])('%s is refused', (_name, options, problem) => {
    expect(() => subagent(options as SubagentOptions)).toThrow(new TypeError(`subagent(): ${problem}`))
  })
})

describe("[N130] the budgets of a child are the rest of its parent's", () => {
  const opening: SessionOptions = { policy: { health: { max_total_tokens: 100, max_cost_usd: 1, min_score: 10 } } }
  // Each answer of the stub takes 15 tokens.
  const talker = agent({ name: 'talker', model: stubModel(() => ({ text: 'hm' })) })

  test('split among those under way, and their sums count as its own', async () => {
    const editor = asking({ agents: [talker] }, () => [
      ['ask_talker', { task: 'a' }],
      ['ask_talker', { task: 'b' }],
    ])
    const world = new LoopWorld({ editor })
    for (const key of keys) await world.submit('go', key, opening)
    await settle(world)
    for (const key of keys) {
      const started = (await world.payloads('subagent_event', key)).filter(({ status }) => status === 'started')
      const health = { max_total_tokens: 42, max_cost_usd: 0.5, min_score: 10 }
      expect(started.map(({ policy }) => policy)).toEqual([{ health }, { health }])
      const ended = (await world.payloads('subagent_event', key)).filter(({ status }) => status === 'completed')
      expect(ended.map(({ usage }) => usage?.total_tokens)).toEqual([15, 15])
      for (const child of await childrenOf(world, key))
        expect((await world.host.open(child)).state.lifecycle.policy).toEqual({ health })
      // Two answers of the parent, and one of each child.
      expect((await world.host.open(key)).state.health.tokens).toBe(60)
    }
  })

  test('a call that waits for an approval has a share, too', async () => {
    const definition = agent({
      name: 'editor',
      use: [subagent({ agents: [talker] })],
      policy: [{ tool: 'ask_*', do: 'ask', when: ({ task }) => task !== 'free' }],
      model: stubModel((prompt) =>
        lastResults(prompt)
          ? { text: 'ok' }
          : { calls: ['free', 'b', 'c'].map((task) => ['ask_talker', { task }] as const) },
      ),
    })
    const world = new LoopWorld({ editor: definition })
    const [key = keyOf()] = keys
    await world.submit('go', key, { policy: { health: { max_total_tokens: 105 } } })
    await settle(world)
    const shares = async () =>
      (await world.payloads('subagent_event', key))
        .filter(({ status }) => status === 'started')
        .map(({ policy }) => policy?.health?.max_total_tokens)
    // The parent has used 15.
    expect(await shares()).toEqual([30])
    await world.approve('approved', undefined, key)
    await settle(world)
    await world.approve('approved', undefined, key)
    await settle(world)
    // The first child has used 15 of its 30, and the rest is there for the others.
    expect(await shares()).toEqual([30, 37, 60])
    expect((await world.payloads('turn_end', key)).at(-1)?.status).toBe('completed')
  })

  test('a child that starts later has no part of the shares of those under way', async () => {
    const editor = asking({ agents: [sender()], maxAtOnce: 2 }, () =>
      ['a', 'b', 'c'].map((task) => ['ask_sender', { task }] as const),
    )
    const world = new LoopWorld({ editor })
    for (const key of keys.slice(0, 2)) await world.submit('go', key, opening)
    await settle(world)
    for (const key of keys.slice(0, 2)) {
      const [first = key] = await childrenOf(world, key)
      await world.approve('approved', undefined, first)
      await settle(world)
      const started = (await world.payloads('subagent_event', key)).filter(({ status }) => status === 'started')
      // The first answer leaves 85 tokens: the first child used 30 of them, and the second one has 42.
      expect(started.map(({ policy }) => policy?.health?.max_total_tokens)).toEqual([42, 42, 13])
    }
  })

  test('a child that uses up what is left asks an operator, and then its parent does', async () => {
    const long = agent({
      name: 'long',
      tools: [tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })],
      model: stubModel((prompt) =>
        prompt.length < 12 ? { calls: [['look', { at: prompt.length }]] } : { text: 'found' },
      ),
    })
    const world = new LoopWorld({ editor: asking({ agents: [long] }, () => [['ask_long', { task: 'x' }]]) })
    const [key = keyOf()] = keys
    await world.submit('go', key, { policy: { health: { max_total_tokens: 50 } } })
    await settle(world)
    const [child = key] = await childrenOf(world, key)
    expect(await status(world, child)).toBe('awaiting_approval')
    expect(await world.payloads('approval_required', child)).toMatchObject([{ kind: 'budget' }])
    expect(await status(world, key)).toBe('running')
    await world.approve('approved', undefined, child)
    for (let round = 0; round < 4 && (await status(world, child)) === 'awaiting_approval'; round++)
      await world.approve('approved', undefined, child)
    await settle(world)
    const asked = await world.payloads('approval_required', key)
    expect(asked.map(({ kind, child: below }) => [kind, below?.id])).toEqual([
      ['budget', child.id],
      ['budget', child.id],
      ['budget', undefined],
    ])
  })
})

test('[N131] the parent tells each child from its start to its end, and a long one by and by', async () => {
  const busy = agent({
    name: 'busy',
    tools: [tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })],
    model: stubModel((prompt) =>
      prompt.length < 40 ? { calls: [['look', { at: prompt.length }]] } : { text: 'found' },
    ),
  })
  const editor = asking({ agents: [busy] }, () => [['ask_busy', { task: 'x' }]])
  const world = new LoopWorld({ editor })
  for (const key of keys) await world.submit('go', key)
  for (let round = 0; round < 5; round++) await settle(world)
  for (const key of keys) {
    const told = await world.payloads('subagent_event', key)
    expect(told[0]).toMatchObject({ status: 'started', agent: 'editor.busy', parent_session_id: key.id })
    expect(told.at(-1)).toMatchObject({ status: 'completed', usage: { total_tokens: expect.any(Number) } })
    const steps = told.filter(({ status }) => status === 'progress').map((each) => each.steps)
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.every((step) => [1, 2, 4, 8, 16].includes(step ?? 0))).toBe(true)
    expect(new Set(told.map(({ tool_call_id }) => tool_call_id)).size).toBe(1)
    // Progress wakes nobody.
    expect(await world.payloads('run_woken', key)).toHaveLength(1)
  }
})
