// Tools that ask a person while they run, as those of an MCP server do: the process that has the call may end at any time.
import { parseQuestions, type QuestionRequest } from '@bridle/events/questions'
import type { ToolEffect } from '@bridle/events/schemas'
import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import { tool } from '../../tools/tool.ts'
import { keyOf, LoopWorld, lastResults, stubModel } from '../loop.suite.ts'
import type { AskingCallContext, CallQuestion } from './call-questions.ts'

const which = (question: string): CallQuestion => ({
  ...{ tool: 'shop.question', arguments: { question }, reason: question },
  request: parseQuestions({ questions: [{ question, options: ['red', 'blue'] }] }) as QuestionRequest,
})

interface Life {
  /** The questions of each execution of the call. */
  asks: readonly (readonly string[])[]
  executions: number
  answers: unknown[]
}

/** An agent that paints once, asks while it does, and says what came of it. */
const painter = (life: Life, effect: ToolEffect, more: { timeoutMs?: number; turnMs?: number } = {}) => {
  const { timeoutMs, turnMs } = more
  return agent({
    name: 'tested',
    model: stubModel((prompt) => {
      const results = lastResults(prompt)
      return results ? { text: String(results[0]) } : { calls: [['paint', {}]] }
    }),
    ...(turnMs !== undefined && { limits: { turnMs } }),
    tools: [
      tool({
        ...{ name: 'paint', description: 'Paints.', effect, ...(timeoutMs !== undefined && { timeoutMs }) },
        run: async (_input, context) => {
          const { ask } = context as AskingCallContext
          const asked = life.asks[life.executions] ?? life.asks.at(-1) ?? []
          life.executions += 1
          const decisions = []
          for (const question of asked) {
            const { decision, arguments: args } = await ask(which(question))
            life.answers.push(args.answers ?? decision)
            decisions.push(JSON.stringify(args.answers ?? decision))
          }
          return decisions.join(' ')
        },
      }),
    ],
  })
}

const lifeOf = (...asks: string[][]): Life => ({ asks, executions: 0, answers: [] })
const keys = [keyOf('s1'), keyOf('s2'), keyOf('s3')]
const open = async (it: LoopWorld, key = keyOf()) => Object.values((await it.host.open(key)).state.approvals.open)
const answer = async (it: LoopWorld, approvalId: string, color: string, key = keyOf()) => {
  const reply = await it.send({ type: 'approve', approvalId, decision: 'approved', answers: { q1: color } }, key)
  await it.quiet()
  return reply
}

test('[N256] three calls ask, and each gets the answers of its own session', async () => {
  const life = lifeOf(['Wall?', 'Door?'])
  const it = new LoopWorld(painter(life, 'unsafe'))
  for (const key of keys) await it.ask('go', key)
  for (const color of ['red', 'blue'])
    for (const [index, key] of [...keys.entries()].reverse()) {
      const [asked] = await open(it, key)
      expect(asked).toMatchObject({ kind: 'question', tool: 'shop.question' })
      await answer(it, String(asked?.id), index === 1 ? 'red' : color, key)
    }
  expect(await Promise.all(keys.map((key) => it.result(key)))).toEqual([
    '{"q1":"red"} {"q1":"blue"}',
    '{"q1":"red"} {"q1":"red"}',
    '{"q1":"red"} {"q1":"blue"}',
  ])
})

test('[N256] waiting for an answer counts neither for the time of the call nor for that of the turn', async () => {
  const it = new LoopWorld(painter(lifeOf(['Wall?']), 'unsafe', { timeoutMs: 1_000, turnMs: 5_000 }))
  await it.ask('go')
  await it.clock.pass(3_600_000)
  await answer(it, await it.openApproval(), 'red')
  expect(await it.result()).toBe('{"q1":"red"}')
  expect(await it.outcomes()).toEqual(['paint ok'])
})

test.each<[string, ToolEffect]>([
  ['pure', 'pure'],
  ['unsafe', 'unsafe'],
])(
  '[N257] after a kill a call that is %s asks again under the same id, and an answer from before counts once',
  async (_name, effect) => {
    const life = lifeOf(['Wall?'])
    let it = new LoopWorld(painter(life, effect))
    await it.ask('go')
    const id = await it.openApproval()
    it = await it.again()
    const unknown = (await open(it)).find(({ kind }) => kind === 'unknown_outcome')
    expect(unknown === undefined).toBe(effect === 'pure')
    expect((await open(it)).filter(({ kind }) => kind === 'question')).toMatchObject([{ id }])
    // An unsafe call is not repeated yet: its question is answered before anybody can use the answer.
    await answer(it, id, 'blue')
    if (unknown) {
      expect(life.answers).toEqual([])
      it = await it.again()
      await it.send({ type: 'approve', approvalId: unknown.id, decision: 'approved' })
      await it.quiet()
    }
    expect([life.executions, life.answers]).toEqual([2, [{ q1: 'blue' }]])
    expect(await it.result()).toBe('{"q1":"blue"}')
    const asked = (await it.payloads('approval_required')).filter(({ kind }) => kind === 'question')
    expect(asked).toHaveLength(1)
    expect(await answer(it, id, 'blue')).toMatchObject({ decision: 'approved' })
    expect(await answer(it, id, 'red')).toMatchObject({ refused: 'approval_settled' })
  },
)

test('[N257] an answer that was used is asked for again when the call is repeated', async () => {
  const life = lifeOf(['Wall?', 'Door?'])
  let it = new LoopWorld(painter(life, 'pure'))
  await it.ask('go')
  await answer(it, await it.openApproval(), 'red')
  it = await it.again()
  const reasons = (await open(it)).map(({ reason }) => reason)
  expect(reasons.toSorted()).toEqual(['Door?', 'Wall?'])
  const idOf = async (reason: string) => String((await open(it)).find((each) => each.reason === reason)?.id)
  await answer(it, await idOf('Wall?'), 'blue')
  await answer(it, await idOf('Door?'), 'red')
  expect(await it.result()).toBe('{"q1":"blue"} {"q1":"red"}')
})

test('[N257] [S78] a question that the repeated call does not ask again is withdrawn when the call ends', async () => {
  const life = lifeOf(['Wall?'], [])
  let it = new LoopWorld(painter(life, 'pure'))
  await it.ask('go')
  it = await it.again()
  expect(await open(it)).toEqual([])
  expect(await it.payloads('approval_applied')).toMatchObject([{ decision: 'cancelled' }])
  expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: 'completed' })
})

test('[N257] a person who does not want the call again ends its question, too, and the turn goes on', async () => {
  const life = lifeOf(['Wall?'])
  let it = new LoopWorld(painter(life, 'unsafe'))
  await it.ask('go')
  it = await it.again()
  const unknown = (await open(it)).find(({ kind }) => kind === 'unknown_outcome')
  await it.send({ type: 'approve', approvalId: String(unknown?.id), decision: 'denied' })
  await it.quiet()
  expect([life.executions, await open(it)]).toEqual([1, []])
  expect(await it.outcomes()).toEqual(['paint error outcome_unknown'])
  expect(await it.payloads('completed')).toHaveLength(1)
})

test('[S78] a cancelled run has no question open, and the asker learns that the run is over', async () => {
  const life = lifeOf(['Wall?'])
  const it = new LoopWorld(painter(life, 'unsafe'))
  await it.ask('go')
  await it.send({ type: 'cancel' })
  await it.quiet()
  expect([await open(it), life.answers]).toEqual([[], []])
  await it.ask('again')
  expect(await open(it)).toHaveLength(1)
})
