// The policy of an agent in its sessions: refusals, questions, grants, and the log's note of each.
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { PolicyRule } from '../policy.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from './loop.suite.ts'

/** An agent that makes the calls that the prompt names, as `tool command`, one answer for each line. */
const operator = (policy: readonly PolicyRule[], more: object = {}, name = 'tested') => {
  const made: string[] = []
  const answer: Answering = (prompt) => {
    const results = lastResults(prompt)
    if (results) return { text: results.join('; ') }
    const [lines = ''] = lastText(prompt).split('|').slice(-1)
    const calls = lines.split('\n').map((line) => {
      const [called = '', ...words] = line.split(' ')
      return [called, { command: words.join(' ') }] as const
    })
    return { calls }
  }
  const tools = ['shell', 'look'].map((each) =>
    tool({
      ...{ name: each, description: `Does ${each}.`, input: v.object({ command: v.string() }) },
      effect: each === 'look' ? 'pure' : 'unsafe',
      run: ({ command }) => {
        made.push(`${each} ${command}`)
        return `did ${command}`
      },
      ...more,
    }),
  )
  return { made, definition: agent({ name, model: stubModel(answer), tools, policy }) }
}

const rulings = async (it: LoopWorld, key = keyOf()) =>
  (await it.payloads('policy_decision', key)).flatMap(({ subject, outcome, rule }) =>
    rule === undefined ? [] : [`${subject} ${outcome} by ${rule}`],
  )

test('[N94] a rule denies: the model is told why, and the call is not made', async () => {
  const rule: PolicyRule = { tool: 'sh*', command: 'rm *', do: 'deny', reason: 'Nothing is deleted here.' }
  const { definition, made } = operator([rule, { tool: '*', do: 'allow' }])
  const it = new LoopWorld(definition)
  await it.ask('shell rm -rf /\nlook around')
  expect(made).toEqual(['look around'])
  expect(await it.outcomes()).toEqual(['shell denied policy_denied', 'look ok'])
  expect(await it.result()).toBe('The call was not made: Nothing is deleted here.; did around')
  expect(await rulings(it)).toEqual(['shell deny by deny sh* command rm *', 'look allow by allow *'])
})

test('[N98] each decision is in one write with the beginning of its call, and no claim', async () => {
  const { definition } = operator([{ tool: 'shell', do: 'allow', reason: 'It is a sandbox.' }])
  const it = new LoopWorld(definition)
  await it.ask('shell ls')
  const write = it.log.appends.find(({ events }) => events.some(({ type }) => type === 'tool_call'))
  expect(write?.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['model_step', 'policy_decision', 'tool_call']),
  )
  expect((await it.payloads('policy_decision')).at(-1)).toEqual({
    ...{ subject: 'shell', outcome: 'allow', source: 'policy', rule: 'allow shell', tool_call_id: 'r-2.1.1' },
    reason: 'It is a sandbox.',
  })
})

test('[N97] the terms of a rule reach the person; a tool that asks by itself is asked about once', async () => {
  const rule: PolicyRule = {
    ...{ tool: 'shell', do: 'ask', reason: 'It changes things.', risk: 'high', audience: 'admins', expiresMs: 60_000 },
  }
  const { definition, made } = operator([rule], { approve: { reason: 'By itself.', expiresMs: 30_000 } })
  const it = new LoopWorld(definition)
  await it.submit('shell ls')
  await it.quiet()
  const [question, ...others] = await it.payloads('approval_required')
  expect(others).toEqual([])
  expect(question).toMatchObject({ reason: 'It changes things.', risk: 'high', audience: 'admins' })
  expect(question?.grants).toBeUndefined()
  expect(Date.parse(question?.expires_at ?? '') - it.clock.now()).toBe(30_000)
  await it.approve()
  expect(made).toEqual(['shell ls'])
})

test('[N94] a rule that allows does not switch off the question of the tool itself', async () => {
  const { definition, made } = operator([{ tool: '*', do: 'allow' }], { approve: true })
  const it = new LoopWorld(definition)
  await it.submit('shell ls')
  await it.quiet()
  expect([made, (await it.payloads('approval_required')).length]).toEqual([[], 1])
})

test('[N94] no approval is above a denial: a person cannot change the arguments to what a rule denies', async () => {
  const { definition, made } = operator([
    { tool: 'shell', do: 'ask' },
    { tool: 'shell', command: 'rm *', do: 'deny' },
  ])
  const it = new LoopWorld(definition)
  await it.submit('shell ls')
  await it.quiet()
  await it.approve('approved', { command: 'rm x' })
  expect([made, await it.outcomes()]).toEqual([[], ['shell denied policy_denied']])
  expect(await rulings(it)).toEqual(['shell ask by ask shell', 'shell deny by deny shell command rm *'])
})

test('[N94] a rule that came after a crash denies that the call is run again, whatever a person says', async () => {
  const { definition, made } = operator([{ tool: 'shell', do: 'deny', reason: 'No payments today.' }])
  const hung = operator([], { run: () => new Promise(() => {}) })
  const keys = [keyOf('a'), keyOf('b')]
  const it = new LoopWorld(hung.definition)
  for (const key of keys) await it.submit('shell pay', key)
  await it.quiet()
  const next = await it.again(definition)
  for (const key of keys) await next.approve('approved', undefined, key)
  for (const key of keys) {
    expect(await next.outcomes(key)).toEqual(['shell error outcome_unknown'])
    expect(await rulings(next, key)).toEqual(['shell deny by deny shell'])
    expect(await next.result(key)).toContain('No payments today.')
  }
  expect(made).toEqual([])
})

test('[N94] no rule is about the tool that takes the output', async () => {
  const it = new LoopWorld(
    agent({
      ...{ name: 'tested', output: v.object({ n: v.number() }), policy: [{ tool: '*', do: 'deny' }] },
      model: stubModel(() => ({ calls: [['answer', { n: 1 }]] })),
    }),
  )
  await it.ask('go')
  expect(await it.result()).toEqual({ n: 1 })
})

const once: PolicyRule = { tool: 'shell', command: 'git *', do: 'ask', once: true }

test('[N96] a rule that asks once: the approval holds for the session, over restarts and in branches', async () => {
  const { definition, made } = operator([once])
  let it = new LoopWorld(definition)
  const other = keyOf('other')
  for (const key of [keyOf(), other]) await it.submit('shell git push', key)
  await it.quiet()
  expect(await it.payloads('approval_required')).toMatchObject([{ grants: 'ask shell command git *' }])
  it = await it.again()
  await it.approve()
  await it.ask('shell git pull')
  it = await it.again()
  await it.ask('shell git log')
  expect(made).toEqual(['shell git push', 'shell git pull', 'shell git log'])
  expect(await it.payloads('approval_required')).toHaveLength(1)
  expect(await rulings(it)).toEqual([
    'shell ask by ask shell command git *',
    'shell granted by ask shell command git *',
    'shell granted by ask shell command git *',
  ])
  // Another session has not granted anything.
  expect(await it.openApproval(other)).toMatch(/./)
  const { seq } = (await it.events()).at(-1) ?? { seq: 0 }
  await it.host.branch(keyOf(), seq, 'branch', { prompt: 'shell git fetch' })
  await it.quiet()
  expect(made.at(-1)).toBe('shell git fetch')
  // A branch from before the approval asks again.
  const question = (await it.events()).find(({ type }) => type === 'approval_required')
  await it.host.branch(keyOf(), (question?.seq ?? 0) - 1, 'early', { prompt: 'shell git gc' })
  await it.quiet()
  expect(made.at(-1)).toBe('shell git fetch')
  expect(await it.openApproval(keyOf('early'))).toMatch(/./)
})

test.each<[string, (it: LoopWorld) => Promise<void>]>([
  ['a denial', (it) => it.approve('denied')],
  ['an approval of other arguments', (it) => it.approve('approved', { command: 'git status' })],
])('[N96] %s grants nothing', async (_name, answer) => {
  const it = new LoopWorld(operator([once]).definition)
  await it.submit('shell git push')
  await it.quiet()
  await answer(it)
  await it.ask('shell git push')
  expect(await it.payloads('approval_required')).toHaveLength(2)
})

test('[N96] an edit that takes the turn back takes the grant back', async () => {
  const it = new LoopWorld(operator([once]).definition)
  await it.submit('shell git push')
  await it.quiet()
  await it.approve()
  const [prompt] = await it.payloads('prompt_queued')
  await it.send({ type: 'edit', messageId: prompt?.message_id ?? '', prompt: 'shell git pull' })
  await it.quiet()
  expect(await it.payloads('approval_required')).toHaveLength(2)
})
