// The points `start` and `answer` of middleware: each decision is in the log in one write with what follows from it.

import * as v from 'valibot'
import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import type { AnswerReview, Middleware } from '../../middleware/middleware.ts'
import type { ModelMessage } from '../../model/model.ts'
import { tool } from '../../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastText, stubModel } from '../loop.suite.ts'
import { AGAIN_MAX } from './answer-review.ts'
import { NOTES_CHARS_MAX } from './turn-start.ts'

const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
const hung = () => new Promise<never>(() => {})
const textsOf = (prompt: readonly ModelMessage[]): string[] =>
  prompt.flatMap((message) =>
    message.role === 'user' || message.role === 'assistant'
      ? [message.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('')]
      : [],
  )
/** An agent that counts its answers within the conversation, and notes each prompt. */
const counting = (use: readonly Middleware[], more: object = {}) => {
  const prompts: string[][] = []
  const answer: Answering = (prompt) => {
    prompts.push(textsOf(prompt))
    return { text: `answer ${prompt.filter(({ role }) => role === 'assistant').length + 1}` }
  }
  return {
    prompts,
    definition: agent({ name: 'tested', model: stubModel(answer), use, limits: { toolMs: 50 }, ...more }),
  }
}
const hookEvents = async (it: LoopWorld, key = keyOf()) =>
  (await it.payloads('hook_event', key)).map(({ hook, phase, status }) => `${hook} ${phase} ${status}`)
const writes = (it: LoopWorld) =>
  it.log.appends.map(({ events }) => events.map(({ type }) => type).filter((type) => type !== 'health_changed'))

test('[N115] notes of each middleware are put before the model, once per turn, in one write with everything it added', async () => {
  let calls = 0
  const library: Middleware = {
    name: 'library',
    start: ({ prompt, emit, usage }) => {
      calls += 1
      emit('retrieval', { query: prompt, citations: [] })
      usage({ totalTokens: 3 })
      return [{ text: `About ${prompt}.` }, { text: 'And more.' }]
    },
  }
  const silent: Middleware = { name: 'silent', start: () => undefined }
  const clock: Middleware = { name: 'clock', start: async () => [{ text: 'It is noon.' }] }
  const { definition, prompts } = counting([library, silent, clock])
  const it = new LoopWorld(definition)
  for (const key of keys) {
    await it.ask('one', key)
    await it.ask('two', key)
    expect(await hookEvents(it, key)).toEqual(
      ['one', 'two'].flatMap(() => ['library start added', 'silent start passed', 'clock start added']),
    )
    expect((await it.payloads('context_added', key)).map(({ text, source }) => `${source} ${text}`)).toEqual(
      ['one', 'two'].flatMap((prompt) => [
        `middleware:library About ${prompt}.`,
        'middleware:library And more.',
        'middleware:clock It is noon.',
      ]),
    )
  }
  expect(prompts.at(-1)).toEqual([
    ...['one', 'About one.', 'And more.', 'It is noon.', 'answer 1'],
    ...['two', 'About two.', 'And more.', 'It is noon.'],
  ])
  expect(calls).toBe(6)
  expect(writes(it)).toContainEqual([
    ...['retrieval', 'usage', 'hook_event', 'context_added', 'context_added'],
    ...['hook_event', 'hook_event', 'context_added'],
  ])
})

test('[N115] a process that takes the turn up does not start it again; one that finds it not started does', async () => {
  let calls = 0
  let isDown = true
  const noted: Middleware = { name: 'noted', start: () => [{ text: `note ${++calls}` }] }
  const prompts: string[][] = []
  const model = stubModel((prompt) => {
    prompts.push(textsOf(prompt))
    return isDown ? hung() : { text: 'done' }
  })
  let it = new LoopWorld(agent({ name: 'tested', model, use: [noted] }))
  await it.submit('go')
  await it.quiet()
  isDown = false
  it = await it.again()
  expect([calls, await it.result()]).toEqual([1, 'done'])
  expect(prompts).toEqual([
    ['go', 'note 1'],
    ['go', 'note 1'],
  ])
  const slow: Middleware = { name: 'slow', start: () => (calls++ === 1 ? hung() : [{ text: 'at last' }]) }
  it = await it.again(agent({ name: 'tested', model, use: [slow] }))
  await it.submit('next')
  await it.quiet()
  it = await it.again()
  expect([calls, prompts.at(-1)]).toEqual([3, ['go', 'note 1', 'done', 'next', 'at last']])
})

test('[N115] notes have a bound, and the model and the log are told what is left out', async () => {
  const flood: Middleware = { name: 'flood', start: () => [{ text: 'x'.repeat(10_000_000) }, { text: 'late' }] }
  const { definition, prompts } = counting([flood])
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(prompts[0]?.[1]?.length).toBeLessThan(NOTES_CHARS_MAX + 100)
  expect(prompts[0]?.[1]).toMatch(/\[9950000 of 10000000 characters are left out here\.]$/)
  expect(await it.payloads('hook_event')).toMatchObject([{ reason: '9950004 characters of the notes are left out.' }])
})

const fails = (reason: string) => () => {
  throw new Error(reason)
}
test.each<[string, () => unknown, string]>([
  ['throws', fails('broken'), 'broken'],
  ['never returns', hung, 'start took longer than 50 ms.'],
  ['returns no list', () => 'text', 'start returns a list of { text }, or nothing.'],
  ['returns a list of something else', () => [{ note: 1 }], 'start returns a list of { text }, or nothing.'],
  ['returns too many', () => Array.from({ length: 21 }, () => ({ text: 'x' })), 'start returns at most 20 notes.'],
])('[N116] a start that %s: the turn goes on without it', async (_name, start, reason) => {
  const fine: Middleware = { name: 'fine', start: () => [{ text: 'fine' }] }
  const { definition, prompts } = counting([{ name: 'bad', start: start as never }, fine])
  const it = new LoopWorld(definition)
  for (const key of keys) await it.submit('go', key)
  await it.quiet()
  await it.clock.pass(50)
  await it.quiet()
  for (const key of keys) {
    expect(await it.payloads('hook_event', key)).toMatchObject([
      { hook: 'bad', phase: 'start', status: 'error', reason },
      { hook: 'fine', phase: 'start', status: 'added', notes: 1 },
    ])
    expect(await it.result(key)).toBe('answer 1')
  }
  expect(prompts).toEqual(keys.map(() => ['go', 'fine']))
})

const wants = (count: number): Middleware => ({
  name: 'strict',
  answer: ({ emit }, text) => {
    emit('reflection', { text: `Looked at ${text}.` })
    return Number(text.at(-1)) % 3 < count ? { again: `After ${text}: again.` } : undefined
  },
})

test('[N117] an answer is sent back with a text, and accepted in one write with the end of the turn', async () => {
  const { definition, prompts } = counting([{ name: 'kind', answer: () => undefined }, wants(2)])
  const it = new LoopWorld(definition)
  for (const key of keys) {
    expect(await it.ask('go', key)).toMatchObject({ status: 'completed' })
    expect(await it.ask('next', key)).toMatchObject({ status: 'completed' })
    expect(await it.result(key)).toBe('answer 5')
    expect(await hookEvents(it, key)).toEqual([
      ...['kind answer accepted', 'strict answer again', 'kind answer accepted', 'strict answer accepted'],
      ...['kind answer accepted', 'strict answer again', 'kind answer accepted', 'strict answer again'],
      ...['kind answer accepted', 'strict answer accepted'],
    ])
  }
  expect(prompts[1]).toEqual(['go', 'answer 1', 'After answer 1: again.'])
  expect(writes(it)).toContainEqual(['output_superseded', 'hook_event', 'reflection', 'hook_event', 'context_added'])
  expect(writes(it)).toContainEqual(expect.arrayContaining(['hook_event', 'reflection', 'completed', 'turn_end']))
})

test('[N117] an answer is sent back at most twice in a turn, over all middleware', async () => {
  const left: number[] = []
  const never = (name: string): Middleware => ({
    name,
    answer: ({ againLeft }) => {
      left.push(againLeft)
      return { again: `${name} wants more.` }
    },
  })
  const { definition } = counting([never('one'), never('two')])
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(await hookEvents(it)).toEqual([
    ...['one answer again', 'one answer again', 'one answer accepted', 'two answer accepted'],
  ])
  expect(left).toEqual([AGAIN_MAX, 1, 0, 0])
  expect((await it.payloads('hook_event')).at(-1)).toMatchObject({ reason: 'again_limit' })
  expect(await it.result()).toBe('answer 3')
  const short = counting([never('one')], { limits: { steps: 1 } })
  const other = new LoopWorld(short.definition)
  expect(await other.ask('go')).toMatchObject({ status: 'completed' })
  expect(await other.result()).toBe('answer 1')
})

test('[N117] a middleware fails the turn with a reason', async () => {
  const guard: Middleware = { name: 'guard', answer: () => ({ fail: 'That must not be said.' }) }
  const late: Middleware = { name: 'late', answer: () => ({ again: 'Nobody asks me.' }) }
  const { definition } = counting([guard, late])
  const it = new LoopWorld(definition)
  expect(await it.ask('go')).toMatchObject({ status: 'failed' })
  expect(await it.payloads('error')).toMatchObject([{ message: 'That must not be said.' }])
  expect(await hookEvents(it)).toEqual(['guard answer failed'])
})

test('[N117] an output is looked at as JSON, and can be sent back', async () => {
  let n = 0
  const seen: string[] = []
  const model = stubModel((prompt) =>
    lastText(prompt) === 'More.' && n === 1 ? { text: `no output ${++n}` } : { calls: [['answer', { n: ++n }]] },
  )
  const strict: Middleware = {
    name: 'strict',
    answer: (_turn, text) => {
      seen.push(text)
      return seen.length === 1 ? { again: 'More.' } : undefined
    },
  }
  const it = new LoopWorld(agent({ name: 'tested', model, output: v.object({ n: v.number() }), use: [strict] }))
  await it.ask('go')
  expect([seen, await it.result()]).toEqual([['{"n":1}', '{"n":3}'], { n: 3 }])
})

test.each<[string, () => unknown, string]>([
  ['throws', fails('broken'), 'broken'],
  ['never returns', hung, 'answer took longer than 50 ms.'],
  ['returns something else', () => 'again', 'answer returns { again } or { fail } with a text, or nothing.'],
  ['returns no text', () => ({ again: 7 }), 'answer returns { again } or { fail } with a text, or nothing.'],
])('[N118] an answer function that %s accepts the answer', async (_name, answer, reason) => {
  const { definition } = counting([{ name: 'bad', answer: answer as () => AnswerReview }, wants(2)])
  const it = new LoopWorld(definition)
  for (const key of keys) await it.submit('go', key)
  for (const _try of [1, 2]) {
    await it.quiet()
    await it.clock.pass(50)
    await it.quiet()
  }
  for (const key of keys) {
    expect(await it.payloads('hook_event', key)).toMatchObject([
      { hook: 'bad', phase: 'answer', status: 'error', reason },
      { hook: 'strict', status: 'again' },
      { hook: 'bad', phase: 'answer', status: 'error', reason },
      { hook: 'strict', status: 'accepted' },
    ])
    expect(await it.result(key)).toBe('answer 2')
  }
})

test('[N118] thoughts that a middleware wrote stay where the model is asked again after a crash', async () => {
  let isDown = false
  const model = stubModel((prompt) => {
    const n = prompt.filter(({ role }) => role === 'assistant').length + 1
    return isDown && n === 2 ? hung() : { text: `answer ${n}` }
  })
  let it = new LoopWorld(agent({ name: 'tested', model, use: [wants(2)] }))
  isDown = true
  await it.submit('go')
  await it.quiet()
  isDown = false
  it = await it.again()
  const { messages } = (await it.host.open(keyOf())).state.conversation
  expect(messages.at(-1)?.parts?.filter(({ type }) => type === 'reasoning')).toEqual([
    { type: 'reasoning', text: 'Looked at answer 1.' },
    { type: 'reasoning', text: 'Looked at answer 2.' },
  ])
  // Only the draft that was sent back is withdrawn.
  expect(await it.payloads('output_superseded')).toMatchObject([{ keep: { chars: 0, thinking_chars: 0 } }])
})

test('[N124] background work shows each finished step once, also over a crash; a chat does not', async () => {
  let isDown = true
  const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })
  const model = stubModel((prompt) => {
    const n = prompt.filter(({ role }) => role === 'assistant').length % 3
    if (isDown && n === 1) return hung()
    return n < 2 ? { text: 'Wait. ', calls: [['look', { n }]] } : { text: 'Done.' }
  })
  let it = new LoopWorld(agent({ name: 'tested', model, tools: [look] }))
  for (const key of keys) await it.submit('go', key, { kind: 'background' })
  await it.submit('go', keyOf('chat'))
  await it.quiet()
  isDown = false
  it = await it.again()
  for (const key of keys) {
    const run = (await it.payloads('turn_start', key))[0]?.turn_id
    expect(await it.payloads('step_progress', key)).toEqual([
      { step_id: `${run}.1`, status: 'completed', summary: 'Calls of look are made.' },
      { step_id: `${run}.2`, status: 'completed', summary: 'Calls of look are made.' },
      { step_id: `${run}.3`, status: 'completed', summary: 'The model answered.' },
    ])
    expect(await it.result(key)).toBe('Done.')
  }
  expect(await it.payloads('step_progress', keyOf('chat'))).toEqual([])
})

test('[N117] an answer is not sent back where the function has used up the time of the turn', async () => {
  const slow: Middleware = {
    name: 'slow',
    answer: () => {
      it.clock.step(1_000)
      return { again: 'More.' }
    },
  }
  const it = new LoopWorld(counting([slow], { limits: { toolMs: 5_000, turnMs: 1_000 } }).definition)
  for (const key of [keyOf('a'), keyOf('b')]) {
    await it.ask('go', key)
    expect(await hookEvents(it, key)).toEqual(['slow answer accepted'])
    expect((await it.payloads('turn_end', key)).at(-1)?.status).toBe('completed')
  }
})
