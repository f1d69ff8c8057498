// Values that agents propose for their memory, and what becomes of them in later turns, processes and branches.
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from './agent.ts'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './functions/durable-world.suite.ts'
import { LoopWorld, lastResults, lastText, keyOf as loopKey, stubModel } from './loop/loop.suite.ts'
import { tool } from './tools/tool.ts'

const [one, two, three] = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const accept = { type: 'decide_memory', decision: 'accept', actor: 'ann' } as const

const proposalsOf = async (process: Pick<DurableProcess, 'host'>, key: typeof one) =>
  (await process.host.open(key)).state.memory.proposals

const learn: AgentFunction = async ({ session, input }) => {
  const known = await session.memory.get('language')
  if (input.prompt === 'learn')
    await session.memory.propose('language', { code: 'de' }, { reason: 'They write German.' })
  await session.approval({ subject: 'end', reason: 'Enough?' })
  return [known, await session.memory.get('language')]
}

describe('a function', () => {
  test('[N153] [N154] proposes once, however often it begins again, and reads in its next turn what was accepted meanwhile', async () => {
    let process = new DurableProcess(defineAgents({ a: learn, b: learn }))
    for (const key of [one, two, three]) await process.submit(key, 'learn')
    for (const key of [one, two, three]) await process.approval(key)
    process = await process.next()
    process = await process.next()
    for (const key of [one, two, three]) {
      const proposals = await proposalsOf(process, key)
      expect(proposals).toMatchObject([{ key: 'language', reason: 'They write German.', runId: 'r-2', decision: null }])
      const decision = key === two ? 'reject' : 'accept'
      await process.send(key, { ...accept, decision, proposalId: String(proposals[0]?.id) })
    }
    // The process is gone with the decision in its log; the turn goes on with the memory as it began.
    process = await process.next()
    for (const key of [one, two, three]) {
      await process.approve(key)
      await process.idle(key)
      await process.submit(key, 'use')
    }
    for (const key of [three, one, two]) {
      await process.approve(key)
      await process.idle(key)
    }
    const german = { code: 'de' }
    expect(await process.results(one)).toEqual([
      [null, null],
      [german, german],
    ])
    expect(await process.results(two)).toEqual([
      [null, null],
      [null, null],
    ])
    expect(await process.results(three)).toEqual(await process.results(one))
    expect(await process.payloads(one, 'memory_set')).toMatchObject([
      { key: 'language', value: german, run_id: 'r-2', actor: 'ann' },
    ])
  })

  test('[N155] the same decision in another process is the same answer, and another one is refused', async () => {
    let process = new DurableProcess(defineAgents({ a: learn }))
    await process.submit(one, 'learn')
    await process.approve(one)
    await process.idle(one)
    const [proposal] = await proposalsOf(process, one)
    const command = { ...accept, proposalId: String(proposal?.id) }
    await process.send(one, command)
    process = await process.next()
    await process.send(one, command)
    await expect(process.send(one, { ...command, decision: 'reject' })).rejects.toThrow('was accepted already')
    expect(await process.payloads(one, 'memory_decided')).toHaveLength(1)
    expect(await process.payloads(one, 'memory_set')).toHaveLength(1)
  })

  test('[N156] an accepted value ends with its time, and an agent that keeps a value under its key owns it from then on', async () => {
    const run: AgentFunction = async ({ session, input }) => {
      const before = await session.memory.get('k')
      if (input.prompt === 'propose') await session.memory.propose('k', 'proposed')
      if (input.prompt === 'keep') await session.memory.set('k', 'kept')
      return [before]
    }
    const process = new DurableProcess(defineAgents({ a: run, b: run }))
    const turn = async (key: typeof one, prompt: string) => {
      await process.submit(key, prompt)
      await process.idle(key)
    }
    for (const key of [one, three]) {
      await turn(key, 'propose')
      const [proposal] = await proposalsOf(process, key)
      await process.send(key, { ...accept, proposalId: String(proposal?.id), ttlMs: 5_000 })
      await turn(key, 'look')
    }
    await turn(three, 'keep')
    expect((await process.host.open(three)).state.memory.entries.k?.source).toMatchObject({ proposalId: null })
    await process.clock.pass(5_000)
    for (const key of [one, three]) await turn(key, 'look')
    expect(await process.results(one)).toEqual([[null], ['proposed'], [null]])
    expect(await process.results(three)).toEqual([[null], ['proposed'], ['proposed'], ['kept']])
  })

  test('[N153] a proposal of null forgets the key once it is accepted', async () => {
    const run: AgentFunction = async ({ session: { memory } }) => {
      await memory.set('old', 1)
      await memory.propose('old', null, { reason: 'It is over.' })
      return memory.list()
    }
    const process = new DurableProcess(defineAgents({ a: run }))
    for (const key of [one, two]) {
      await process.submit(key, 'x')
      await process.idle(key)
    }
    const [proposal] = await proposalsOf(process, one)
    await process.send(one, { ...accept, proposalId: String(proposal?.id) })
    const keys = async (key: typeof one) => Object.keys((await process.host.open(key)).state.memory.entries)
    expect([await keys(one), await keys(two)]).toEqual([[], ['old']])
  })

  test('[N157] a proposal that cannot be a value is an error for the agent, with durable: false too', async () => {
    const run: AgentFunction = async ({ session: { memory } }) => {
      const messages: string[] = []
      for (const attempt of [
        () => memory.propose('', 1),
        () => memory.propose('big', 1n),
        () => memory.propose('large', 'x'.repeat(8_000)),
        () => memory.propose('k'.repeat(129), 1),
      ])
        await attempt().catch(({ message }) => messages.push(message))
      await memory.propose('fine', null)
      return messages.length
    }
    for (const durable of [true, false]) {
      const process = new DurableProcess(defineAgents({ a: run, b: run }, durable))
      for (const key of [one, three]) {
        await process.submit(key, 'x')
        await process.idle(key)
        expect(await process.results(key)).toEqual([4])
        expect(await proposalsOf(process, key)).toMatchObject([{ key: 'fine', contentType: 'application/json' }])
      }
    }
  })
})

test('[N153] [N154] a tool of a model agent proposes, and the next turn has the value, in another process', async () => {
  const note = tool({
    name: 'note',
    description: 'Proposes to remember a text, or says what is remembered.',
    input: v.object({ text: v.optional(v.string()) }),
    run: async ({ text }, { session }) => {
      if (text) await session.memory.propose('note', text)
      return session.memory.get('note')
    },
  })
  const model = stubModel((prompt) => {
    const results = lastResults(prompt)
    if (results) return { text: `note: ${JSON.stringify(results[0])}` }
    const said = lastText(prompt)
    return { calls: [['note', said === 'look' ? {} : { text: said }]] }
  })
  const tested = () => agent({ name: 'tested', model, tools: [note] })
  let world = new LoopWorld(tested())
  const keys = [loopKey('s1'), loopKey('s2'), loopKey('s3')]
  for (const [index, key] of keys.entries()) await world.ask(`tea ${index}`, key)
  for (const key of keys.slice(0, 2)) {
    const [proposal] = (await world.host.open(key)).state.memory.proposals
    const decision = { ...accept, proposalId: String(proposal?.id) }
    expect(await world.host.send(key, decision)).toMatchObject({ decision: 'accepted', key: 'note' })
  }
  world = await world.again()
  const answers: unknown[] = []
  for (const key of keys) {
    await world.ask('look', key)
    answers.push(await world.result(key))
  }
  expect(answers).toEqual(['note: "tea 0"', 'note: "tea 1"', 'note: null'])
})
