// A function that returns while it still waits: sleeps and signals that lost a race do not hold its run, questions and tools do.

import type { Json, JsonObject } from '@bridle/events/json'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import type { AgentSession } from '../session.ts'
import { type AgentsOf, DurableProcess, keyOf } from './durable-world.suite.ts'

const keys = [keyOf('racer', 's1'), keyOf('racer', 's2'), keyOf('racer', 's3')]
const racer =
  (run: (session: AgentSession) => unknown): AgentsOf =>
  () => [agent({ name: 'racer', run: (({ session }: RunContext<JsonObject>) => run(session)) as () => Json })]

const started = async (run: (session: AgentSession) => unknown): Promise<DurableProcess> => {
  const process = new DurableProcess(racer(run))
  for (const key of keys) await process.submit(key, 'go')
  await flushPending()
  return process
}

test('[N13] [N57] the time is over before the signal comes: the run ends, also in the next process', async () => {
  const race = (session: AgentSession) =>
    Promise.race([session.waitFor('answer'), session.sleep('limit', 60_000).then(() => 'too late')])
  const first = await started(race)
  await first.clock.pass(2_000)
  expect(await Promise.all(keys.map((key) => first.isWaiting(key)))).toEqual([true, true, true])
  const second = await first.next()
  await second.clock.pass(60_000)
  for (const key of keys) {
    await second.idle(key)
    expect(await second.results(key)).toEqual(['too late'])
  }
})

test('[N13] [N57] the signal comes before the time is over: the run ends at once, and so does its next turn', async () => {
  const process = await started((session) =>
    Promise.race([session.waitFor('answer'), session.sleep('limit', 60_000).then(() => 'too late')]),
  )
  for (const turn of [1, 2]) {
    for (const key of keys) await process.send(key, { type: 'signal', name: 'answer', payload: `${key.id}-${turn}` })
    for (const key of keys) {
      await process.idle(key)
      expect((await process.results(key)).at(-1)).toBe(`${key.id}-${turn}`)
      await process.submit(key, 'again')
    }
    await flushPending()
  }
})

test('[N57] a wait that is left never settles, so that a promise behind it cannot end the process', async () => {
  const settled: string[] = []
  const process = await started((session) => {
    const note = (how: string) => () => settled.push(how)
    void session.waitFor('stop').then(note('signal'), note('signal rejected'))
    void session.sleep('long', 60_000).then(note('sleep'), note('sleep rejected'))
    return 'done'
  })
  for (const key of keys) {
    await process.idle(key)
    expect(await process.results(key)).toEqual(['done'])
  }
  await process.clock.pass(120_000)
  expect(settled).toEqual([])
})

test('[N13] what follows from a call that nobody awaits belongs to the run', async () => {
  const process = await started((session) => {
    void session
      .step('first', () => 1)
      .then(async () => {
        await session.text('said after the step, ')
        await session.tool('look', {}, () => session.waitFor('look'), { effect: 'pure' })
        await session.text('and after the tool')
      })
  })
  for (const key of keys) {
    await process.until(async () => (await process.payloads(key, 'tool_call')).length === 1)
    expect(await process.results(key)).toEqual([])
    await process.send(key, { type: 'signal', name: 'look', payload: null })
    await process.idle(key)
    expect(await process.results(key)).toEqual(['said after the step, and after the tool'])
  }
})

test('[N13] [N57] a question that lost a race holds the run until a person answers', async () => {
  const first = await started((session) =>
    Promise.race([
      session.approval({ subject: 'go', reason: 'A person decides.' }).then(() => 'answered'),
      session.sleep('limit', 5_000).then(() => 'too late'),
    ]),
  )
  await first.clock.pass(10_000)
  const second = await first.next()
  for (const key of keys) {
    expect(await second.results(key)).toEqual([])
    await second.approve(key)
    await second.idle(key)
    expect(await second.results(key)).toHaveLength(1)
  }
})
