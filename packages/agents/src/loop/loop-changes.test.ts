// A run whose agent was changed while it was under way, and branches out of the middle of a turn.
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { ModelMessage } from '../model/model.ts'
import { type Tool, tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, stubModel } from './loop.suite.ts'

const hung = () => new Promise<never>(() => {})
const requests: ModelMessage[][] = []
const offered: (string[] | undefined)[] = []
const answer: Answering = (prompt, { tools }) => {
  requests.push([...prompt])
  offered.push(tools?.map(({ name }) => name))
  const results = lastResults(prompt)
  return results
    ? { text: results.join('; ') }
    : {
        text: 'Wait. ',
        calls: [
          ['copy', { from: 'a' }],
          ['look', {}],
        ],
      }
}
const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })
const copy = (effect: 'pure' | 'unsafe', more: object = {}) =>
  tool({
    name: 'copy',
    description: 'Copies.',
    effect,
    input: v.object({ from: v.string() }),
    run: ({ from }) => `copied ${from}`,
    ...more,
  })
const defined = (tools: readonly Tool[], instructions = 'Old.') =>
  agent({ name: 'tested', model: stubModel(answer), tools, instructions })

/** The process ends while `copy` runs. */
const interrupted = async (first: Tool): Promise<LoopWorld> => {
  requests.length = 0
  offered.length = 0
  const before = new LoopWorld(defined([first, look]))
  await before.submit('go')
  await before.quiet()
  expect(requests).toHaveLength(1)
  return before
}

describe('a run in the middle of a call, after its agent was changed', () => {
  test('[N49] has the new instructions from its next request on', async () => {
    const before = await interrupted(copy('pure', { run: hung }))
    const it = await before.again(defined([copy('pure'), look], 'New.'))
    expect(requests[1]?.[0]).toEqual({ role: 'system', content: 'New.' })
    expect(requests[1]?.slice(1, 3)).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
    expect(await it.result()).toBe('copied a; seen')
  })

  test.each(['pure', 'unsafe'] as const)('[N49] its tool is gone (%s): the model is told', async (effect) => {
    const before = await interrupted(copy(effect, { run: hung }))
    const it = await before.again(defined([look]))
    expect((await it.outcomes()).sort()).toEqual(['copy error tool_gone', 'look ok'])
    expect(await it.result()).toContain('The tool "copy" was removed.')
    expect(offered).toEqual([['copy', 'look'], ['look']])
    expect(await it.payloads('approval_required')).toEqual([])
  })

  test('[N49] its tool is gone, and a person was asked: an approval makes no call', async () => {
    const before = await interrupted(copy('unsafe', { approve: true }))
    const it = await before.again(defined([look]))
    await it.approve()
    expect((await it.outcomes()).sort()).toEqual(['copy error tool_gone', 'look ok'])
  })

  test('[N49] its schema is another: the call is not made again, and the model is told', async () => {
    const before = await interrupted(copy('pure', { run: hung }))
    const it = await before.again(defined([copy('pure', { input: v.object({ source: v.string() }) }), look]))
    expect((await it.outcomes()).sort()).toEqual(['copy error arguments_invalid', 'look ok'])
    expect(await it.result()).toContain('do not fit: source: ')
  })

  test('[N49] its tool is no longer pure: a person is asked', async () => {
    const before = await interrupted(copy('pure', { run: hung }))
    const it = await before.again(defined([copy('unsafe'), look]))
    expect(await it.payloads('approval_required')).toMatchObject([{ kind: 'unknown_outcome' }])
    await it.approve()
    expect(await it.result()).toBe('copied a; seen')
  })

  test('[N49] a definition that is gone fails the run, and says so', async () => {
    const before = await interrupted(copy('unsafe', { run: hung }))
    const it = await before.again({
      tested: () => {
        throw new Error('no such agent')
      },
    })
    expect(await it.payloads('error')).toMatchObject([
      { reason: 'agent_unavailable', message: expect.stringContaining('"tested" is no longer there') },
    ])
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'failed' }])
  })
})

describe('a branch out of the middle of a turn', () => {
  const world = async () => {
    requests.length = 0
    const it = new LoopWorld(defined([copy('pure'), look]))
    await it.ask('go')
    const [first, second] = [...requests]
    return { it, first, second, events: await it.events() }
  }
  const branch = async (it: LoopWorld, seq: number, id: string) => {
    requests.length = 0
    await it.host.branch(keyOf(), seq, id, { prompt: null })
    await it.quiet()
    return keyOf(id)
  }

  test('[N41] goes on with the turn that it left: its first request has the same bytes', async () => {
    const { it, first, second, events } = await world()
    const seqOf = (type: string) => events.find((event) => event.type === type)?.seq ?? 0
    // Before the model was asked.
    await branch(it, seqOf('turn_start_tools'), 'early')
    expect(JSON.stringify(requests)).toBe(JSON.stringify([first, second]))
    // After all outcomes.
    const late = await branch(it, events.findLast(({ type }) => type === 'tool_outcome')?.seq ?? 0, 'late')
    expect(JSON.stringify(requests)).toBe(JSON.stringify([second]))
    expect(await it.result(late)).toBe('copied a; seen')
    // Between an answer and its calls: the branch begins them.
    const between = await branch(it, seqOf('model_step'), 'between')
    expect(JSON.stringify(requests)).toBe(JSON.stringify([second]))
    expect((await it.outcomes(between)).sort()).toEqual(['copy ok', 'look ok'])
  })

  test('[N41] a call that was under way in the parent counts as not made', async () => {
    const { it, events } = await world()
    const seq = events.find(({ type }) => type === 'tool_call')?.seq ?? 0
    const key = await branch(it, seq, 'middle')
    expect(lastResults(requests[0] ?? [])).toEqual(['The call was not made.', 'seen'])
    expect(await it.outcomes(key)).toEqual(['copy error branched', 'look ok'])
  })

  test('[N41] the parent goes on undisturbed', async () => {
    const { it, events } = await world()
    const seq = events.find(({ type }) => type === 'model_step')?.seq ?? 0
    await branch(it, seq, 'other')
    requests.length = 0
    expect(await it.ask('again')).toMatchObject({ status: 'completed' })
    expect(requests[0]).toHaveLength(6)
  })
})
