import type { GivenAnswer } from '@bridle/events/answers'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { currentStep } from '@bridle/kernel/views/work-progress'
import { describe, expect, test } from 'vitest'
import { agent, isAgent } from './agent.ts'
import { type AgentsOf, DurableProcess, keyOf } from './functions/durable-world.suite.ts'
import { SOP_STEPS_MAX, type SopStep, sop } from './sop.ts'

const form = { action_type: 'render_ui', payload: { component: 'Form' } }
const onboard: AgentsOf = (process) => [
  sop({
    id: 'onboard',
    steps: [
      { id: 'hello', say: 'Welcome.' },
      { id: 'name', ask: 'Your name?' },
      { id: 'form', directive: form },
      { id: 'sure', approve: ({ name }) => `Create ${name}?` },
      { id: 'choice', branch: ({ sure }) => (sure ? undefined : 'end') },
      {
        id: 'create',
        args: ({ name }) => ({ name: name ?? null }),
        effect: 'idempotent',
        call: ({ name }) => process.act(`create ${name}`, { user: name }),
      },
      { id: 'done', say: ({ create }) => `Created ${(create as { user: string }).user}.` },
    ],
  }),
]
const keys = ['s1', 's2', 's3'].map((id) => keyOf('onboard', id))
const names = new Map(keys.map((key, index) => [key, ['Ann', 'Bob', 'Cid'][index] as string]))

/** Answers every question until the process is gone or idle. */
const play = async (process: DurableProcess): Promise<void> => {
  for (let tries = 0; tries < 60 && !process.isGone; tries++) {
    for (const key of keys)
      for (const approvalId of await process.openApprovals(key)) {
        const { kind } = (await process.host.open(key)).state.approvals.open[approvalId] ?? {}
        const given = kind === 'question' ? { answers: { answer: names.get(key) ?? '' } } : {}
        process.send(key, { type: 'approve', approvalId, decision: 'approved', ...given }).catch(() => {})
      }
    await flushPending(1)
  }
}

test('[N73] steps run in order, collect values, ask and branch, and are shown as progress', async () => {
  const process = new DurableProcess(onboard)
  for (const key of keys) await process.submit(key, 'go')
  await play(process)
  for (const key of keys) {
    const name = names.get(key)
    expect(await process.results(key)).toEqual([{ name, sure: true, create: { user: name } }])
    const [, answer] = (await process.host.open(key)).state.conversation.messages
    expect(answer?.content).toBe(`Welcome.\n\nCreated ${name}.`)
    expect(await process.payloads(key, 'directive')).toEqual([form])
    const progress = (await process.payloads(key, 'step_progress')).map(
      ({ step_id, status, index, total }) => `${step_id} ${index} of ${total} ${status}`,
    )
    expect(progress).toEqual(
      ['hello', 'name', 'form', 'sure', 'choice', 'create', 'done'].flatMap((id, index) => [
        `${id} ${index + 1} of 7 running`,
        `${id} ${index + 1} of 7 completed`,
      ]),
    )
    // [F44] A procedure that is done shows its last step.
    const { steps } = (await process.host.open(key)).state
    expect(currentStep(steps)).toEqual({ index: 7, total: 7, title: 'done', status: 'completed' })
  }
})

test('[N76] a prompt answers a question for a text and no approval, in three sessions at once', async () => {
  const process = new DurableProcess(onboard)
  for (const key of keys) await process.submit(key, 'go')
  for (const key of keys) await process.until(async () => (await process.openApprovals(key)).length === 1)
  for (const key of keys)
    expect(await process.send(key, { type: 'submit', prompt: names.get(key) ?? '' })).toMatchObject({
      delivery: 'steered',
    })
  for (const key of keys) {
    await process.until(async () => (await process.payloads(key, 'approval_required')).length === 2)
    expect(await process.send(key, { type: 'submit', prompt: 'yes' })).toMatchObject({ delivery: 'queued' })
    expect(await process.openApprovals(key)).toHaveLength(1)
    await process.approve(key, 'approved')
    await process.until(async () => (await process.results(key)).length === 1)
    const name = names.get(key)
    expect(await process.results(key)).toEqual([{ name, sure: true, create: { user: name } }])
  }
})

test('[N76] a tool cannot have the name of a question for a text', async () => {
  const process = new DurableProcess(() => [
    agent({ name: 'onboard', run: ({ session }) => session.tool('user.input', {}, () => 1, { approve: true }) }),
  ])
  const [key] = keys as [(typeof keys)[0]]
  await process.submit(key, 'go')
  await process.idle(key)
  expect(await process.payloads(key, 'approval_required')).toEqual([])
})

test('[N73] a user who declines has no value, and a branch may end the procedure', async () => {
  const process = new DurableProcess(onboard)
  const [key] = keys as [(typeof keys)[0]]
  await process.submit(key, 'go')
  await process.approve(key, 'denied')
  await process.until(async () => (await process.payloads(key, 'approval_required')).length === 2)
  await process.approve(key, 'denied')
  await process.idle(key)
  expect(await process.results(key)).toEqual([{ name: null, sure: false }])
  expect(process.ledger.entries).toEqual([])
})

test('[N74] a procedure goes on after a crash behind any commit, and repeats nothing', async () => {
  let isWhole = false
  for (let goneAfter = 3; !isWhole && goneAfter < 200; goneAfter += 3) {
    const first = new DurableProcess(onboard, { goneAfter })
    for (const key of keys) first.submit(key, 'go').catch(() => {})
    await play(first)
    isWhole = !first.isGone
    const second = await first.next()
    await play(second)
    for (const key of keys) {
      if ((await second.payloads(key, 'session_created')).length === 0) continue
      const name = names.get(key)
      expect([goneAfter, await second.results(key)]).toEqual([
        goneAfter,
        [{ name, sure: true, create: { user: name } }],
      ])
      expect(await second.payloads(key, 'directive')).toEqual([form])
      expect(await second.payloads(key, 'step_progress')).toHaveLength(14)
      expect(await second.payloads(key, 'output_superseded')).toEqual([])
    }
  }
  expect(isWhole).toBe(true)
})

describe('[N75] a definition', () => {
  test('is an agent', () => expect(isAgent(sop({ id: 'x', steps: [{ id: 'a', say: 'A.' }] }))).toBe(true))

  test.each<[string, unknown, RegExp]>([
    ['no steps', [], /at least one step/],
    ['no id', [{ say: 'A.' }], /step 1 needs an id/],
    [
      'one id twice',
      [
        { id: 'a', say: 'A.' },
        { id: 'a', say: 'B.' },
      ],
      /step 2: the id "a" is taken/,
    ],
    ['the name of the end', [{ id: 'end', say: 'A.' }], /"end" is taken/],
    ['nothing to do', [{ id: 'a' }], /step "a" does not do exactly one/],
    ['two things to do', [{ id: 'a', say: 'A.', ask: 'B?' }], /step "a" does not do exactly one/],
    ['a call of no function', [{ id: 'a', call: 'x' }], /"call" of the step "a" is not a function/],
    ['a text that is none', [{ id: 'a', say: 7 }], /"say" of the step "a" is neither/],
  ])('is refused: %s', (_name, steps, message) =>
    expect(() => sop({ id: 'x', steps: steps as SopStep[] })).toThrow(message),
  )

  test.each<[string, SopStep, RegExp]>([
    ['leads nowhere', { id: 'a', branch: () => 'b' }, /no such step/],
    ['never ends', { id: 'a', branch: () => 'a' }, new RegExp(`more than ${SOP_STEPS_MAX} steps`)],
  ])('fails its run where a branch %s', async (_name, step, message) => {
    const process = new DurableProcess(() => [sop({ id: 'onboard', steps: [step] })])
    const [key] = keys as [(typeof keys)[0]]
    await process.submit(key, 'go')
    await process.idle(key)
    expect(String((await process.payloads(key, 'error'))[0]?.message)).toMatch(message)
  })
})

describe('[N250] a step that asks in another shape', () => {
  const schema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] } as const
  const survey: AgentsOf = () => [
    sop({
      id: 'survey',
      steps: [
        {
          id: 'plan',
          header: 'Plan',
          ask: ({ input }) => `Which plan, ${(input as { prompt: string }).prompt}?`,
          options: ['Free', 'Team'],
        },
        { id: 'parts', ask: 'Which parts?', options: ['API', 'Pages'], multi_select: true },
        { id: 'size', ask: 'How large is it?', form: schema },
        { id: 'more', ask: 'Anything else?', default: 'nothing', expiresMs: 1_000 },
        { id: 'late', ask: 'And now?', options: ['Yes'], expiresMs: 1_000 },
      ],
    }),
  ]
  const sessions = ['s1', 's2', 's3'].map((id) => keyOf('survey', id))

  test('takes options, a list, a form and a default, in three sessions, each also after its process is gone', async () => {
    let process = new DurableProcess(survey)
    for (const key of sessions) await process.submit(key, key.id)
    for (const step of ['plan', 'parts', 'size']) {
      const ids = await Promise.all(sessions.map((key) => process.approval(key)))
      process = await process.next()
      for (const [index, key] of [...sessions.entries()].reverse()) {
        const given: GivenAnswer | undefined = {
          plan: { answers: { plan: 'Team' } },
          parts: { answers: { parts: ['Pages', 'API'] } },
          size: { values: { seats: index } },
        }[step]
        expect(await process.approval(key)).toBe(ids[index])
        await process.send(key, { type: 'approve', approvalId: String(ids[index]), decision: 'approved', ...given })
        await process.until(async () => ![undefined, ids[index]].includes((await process.openApprovals(key))[0]))
      }
    }
    await process.clock.pass(1_000)
    await flushPending()
    await process.clock.pass(1_000)
    for (const [index, key] of sessions.entries()) {
      await process.idle(key)
      const collected = { plan: 'Team', parts: ['Pages', 'API'], size: { seats: index }, more: 'nothing', late: null }
      expect(await process.results(key)).toEqual([collected])
      const [first] = await process.payloads(key, 'approval_required')
      expect(first?.questions).toEqual([
        {
          ...{ id: 'plan', header: 'Plan', question: `Which plan, ${key.id}?` },
          options: [{ label: 'Free' }, { label: 'Team' }],
        },
      ])
    }
  })

  test.each<[string, object, RegExp]>([
    ['an option twice', { options: ['a', 'a'] }, /the step "x" cannot be asked: .* twice/],
    ['a default that is no option', { options: ['a'], default: 'b' }, /The default does not fit/],
    ['a form with a password', { form: { type: 'object', properties: { a: { format: 'password' } } } }, /Secrets/],
  ])('is refused with %s when it is defined', (_name, shape, problem) => {
    expect(() => sop({ id: 'p', steps: [{ id: 'x', ask: 'Which?', ...shape } as SopStep] })).toThrow(problem)
  })
})
