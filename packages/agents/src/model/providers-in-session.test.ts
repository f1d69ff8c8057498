// Model agents on real packages of providers, in sessions whose process ends: every request has the bytes that it would have had.
import * as v from 'valibot'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { agent } from '../agent.ts'
import { keyOf, LoopWorld } from '../loop/loop.suite.ts'
import { tool } from '../tools/tool.ts'
import { startProviderStub } from './provider-stub.suite.ts'
import { parallelStep, providers, signature } from './providers.suite.ts'

const stub = await startProviderStub()
afterAll(() => stub.close())

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  input: v.object({ path: v.string() }),
  effect: 'pure',
  run: ({ path }) => ({ path, lines: ['"quoted"', 'é'] }),
})

describe.each(providers)('$name', ({ model, provider }) => {
  const reader = () =>
    agent({
      name: 'tested',
      model: model(stub.url),
      instructions: 'Be brief.',
      tools: [read],
      settings: provider.settings,
    })

  /** Sends a prompt, and gives the requests of its turn when it has ended. */
  const ask = async (it: LoopWorld, prompt: string, key = keyOf()): Promise<string[]> => {
    const from = stub.requests.length
    const ends = (await it.payloads('turn_end', key)).length
    await it.submit(prompt, key)
    await vi.waitFor(async () => expect(await it.payloads('turn_end', key)).toHaveLength(ends + 1), 10_000)
    return stub.requests.slice(from)
  }
  const firstTurn = [provider.whole(parallelStep), provider.whole({ text: 'Both are there.' })]
  const secondTurn = [provider.whole({ text: 'Yes.' })]

  test('[N60] the request after the end of a process has the same bytes as the one without', async () => {
    const steady = new LoopWorld(reader())
    stub.reply(...firstTurn)
    const [, second] = await ask(steady, 'What is in a and b?')
    expect(second).toContain(JSON.stringify(signature))
    stub.reply(...secondTurn)
    const [third] = await ask(steady, 'Sure?')
    expect(third).toContain(JSON.stringify(signature))
    expect(await steady.result()).toBe('Yes.')

    // The same in three sessions of another process, which ends while the model speaks, and again between the turns.
    let it = new LoopWorld(reader())
    for (const key of ['x', 'y', 'z'].map((id) => keyOf(id))) {
      stub.reply(firstTurn[0]!, { body: provider.events({ text: 'Both are' }), end: 'open' })
      const from = stub.requests.length
      await it.submit('What is in a and b?', key)
      await vi.waitFor(async () => expect(JSON.stringify(await it.payloads('token', key))).toContain('Both'), 10_000)
      stub.reply(firstTurn[1]!)
      it = await it.again()
      await vi.waitFor(async () => expect(await it.payloads('turn_end', key)).toHaveLength(1), 10_000)
      expect(stub.requests.slice(from + 1)).toEqual([second, second])
      it = await it.again()
      stub.reply(...secondTurn)
      expect(await ask(it, 'Sure?', key)).toEqual([third])
      expect(await it.payloads('output_superseded', key)).toHaveLength(1)
      expect(await it.outcomes(key)).toEqual(['read ok', 'read ok'])
    }
  })
})
