// A shell answers the questions of runs with continuation tokens.
import { describe, expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { openContinuation, sealContinuation } from './continuation.ts'
import { approvalDirective } from './directives.ts'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { onboard } from './procedure.suite.ts'

interface Question {
  readonly continuation_token: string
  readonly options: readonly { readonly id: string; readonly continuation_token: string }[]
}

const questionOf = ({ body }: EngineReply): Question => {
  const directive = body.response.action_directives?.[0]
  expect(directive?.action_type).toBe('request_approval')
  return directive?.payload as unknown as Question
}
const tokenOf = (reply: EngineReply, option: 'status' | 'approve' | 'deny'): string => {
  const { continuation_token, options } = questionOf(reply)
  return option === 'status' ? continuation_token : (options.find(({ id }) => id === option)?.continuation_token ?? '')
}
const goOn = (continuation_token: string, request_id: string, more: object = {}) =>
  messageOf({ continuation: { continuation_token }, ...more }, { request_id })
const asking = script({ approve: 'write', args: { path: 'a.txt' } }, { text: 'Written.' })
const ask = (session_id: string, user_intent = asking) => messageOf({ session_id, user_intent }, { request_id: 'ask' })

test('[OH19] a run that waits answers at once with its question, and again for the same request', async () => {
  const { send } = testEngine()
  const first = await send(ask('s1'))
  expect([first.status, first.body.response.status]).toEqual([200, 'success'])
  expect(first.body.response.action_directives).toEqual([
    {
      action_type: 'request_approval',
      priority: 'high',
      risk_tier: 'caution',
      payload: {
        message: expect.any(String),
        fallback_message: expect.any(String),
        tool: 'write',
        arguments: { path: 'a.txt' },
        risk: 'caution',
        expires_at: null,
        run_id: expect.stringMatching(/^r-/),
        continuation_token: expect.any(String),
        options: [
          { id: 'approve', label: 'Approve', continuation_token: expect.any(String) },
          { id: 'deny', label: 'Deny', continuation_token: expect.any(String) },
        ],
      },
    },
  ])
  expect(first.body.supported_capabilities).toMatchObject({ 'openharness.ui.approval': true })
  expect((await send(ask('s1'))).body.response.action_directives).toEqual(first.body.response.action_directives)
})

test('[OH23] a question has no markdown for shells that show none, and is never cut', async () => {
  const { send } = testEngine()
  const words = 'every **word** of the question '.repeat(9).trim()
  const messages = await Promise.all(
    ['im_bot', 'vehicle_hmi', 'web'].map(async (shell_kind, index) => {
      const user_intent = script({ approve: 'write', args: {}, reason: words })
      const shell = { shell_kind, shell_version: '1.0.0' }
      const reply = await send(messageOf({ session_id: `s${index}`, user_intent, shell }))
      return reply.body.response.action_directives?.[0]?.payload?.message
    }),
  )
  const plain = words.replaceAll('**', '')
  expect(messages).toEqual([plain, plain, words])
})

test('[OH20] the chosen option goes on, in three sessions at once; the plain token never approves', async () => {
  const { send, get } = testEngine()
  const questions = await Promise.all(['s1', 's2', 's3'].map((id) => send(ask(id))))
  const [yes, no, open] = questions as [EngineReply, EngineReply, EngineReply]
  const approved = await send(goOn(tokenOf(yes, 'approve'), 'a'))
  const denied = await send(goOn(tokenOf(no, 'deny'), 'a', { session_id: 's2' }))
  const status = await send(goOn(tokenOf(open, 'status'), 'a'))
  expect([approved, denied].map(summaryOf)).toEqual([
    [200, ['Written.']],
    [200, ['Written.']],
  ])
  expect([approved, denied, status].map(({ headers }) => headers.get('x-bridle-session'))).toEqual(['s1', 's2', 's3'])
  expect(questionOf(status)).toEqual(questionOf(open))
  const decisions = async (id: string) =>
    ((await get(`/agents/scripted/${id}`)).body.approvals as { status: string }[]).map(({ status }) => status)
  expect([await decisions('s1'), await decisions('s2')]).toEqual([['approved'], ['denied']])
  // The first request has the answer now, too.
  expect(summaryOf(await send(ask('s1')))).toEqual([200, ['Written.']])
  expect(summaryOf(await send(goOn(tokenOf(yes, 'status'), 'b')))).toEqual([200, ['Written.']])
})

test('[OH20] one question follows the other, and an approval of another wire counts', async () => {
  const { send, get, post } = testEngine()
  const first = await send(ask('s1', script({ approve: 'one' }, { approve: 'two' }, { text: 'Both.' })))
  const second = await send(goOn(tokenOf(first, 'approve'), 'a'))
  expect(second.body.response.action_directives?.[0]?.payload?.tool).toBe('two')
  const { approvals } = (await get('/sessions/s1')).body as { approvals: { id: string }[] }
  await post(`/sessions/s1/approvals/${approvals[0]?.id}/approve`)
  expect(summaryOf(await send(goOn(tokenOf(second, 'status'), 'b')))).toEqual([200, ['Both.']])
})

test('[OH133] the request that answers a question has its id for itself, in each session', async () => {
  const { send } = testEngine()
  const two = script({ approve: 'one' }, { approve: 'two' }, { text: 'Both.' })
  for (const id of ['s1', 's2', 's3']) {
    const prompt = (request_id: string, text = 'Hi.') =>
      send(messageOf({ session_id: id, user_intent: script({ text }) }, { request_id }))
    expect(summaryOf(await prompt('early'))).toEqual([200, ['Hi.']])
    const first = await send(ask(id, two))
    // The id of an earlier turn answers no question, and the question stays open.
    for (const request_id of ['early', 'ask'])
      expect(summaryOf(await send(goOn(tokenOf(first, 'approve'), request_id)))).toEqual([409, 'request_id_conflict'])
    const second = await send(goOn(tokenOf(first, 'approve'), 'a'))
    expect(questionOf(second)).toMatchObject({ tool: 'two' })
    expect(summaryOf(await send(goOn(tokenOf(second, 'approve'), 'a')))).toEqual([409, 'request_id_conflict'])
    expect(summaryOf(await prompt('a'))).toEqual([409, 'request_id_conflict'])
    expect(questionOf(await send(goOn(tokenOf(first, 'approve'), 'a')))).toEqual(questionOf(second))
    expect(summaryOf(await send(goOn(tokenOf(second, 'approve'), 'b')))).toEqual([200, ['Both.']])
    expect(summaryOf(await send(goOn(tokenOf(second, 'approve'), 'b')))).toEqual([200, ['Both.']])
    expect(summaryOf(await prompt('b'))).toEqual([409, 'request_id_conflict'])
    expect(summaryOf(await prompt('c', 'New.'))).toEqual([200, ['New.']])
  }
})

describe('[OH21] tokens', () => {
  test('are used once, by one request', async () => {
    const { send } = testEngine()
    const question = await send(ask('s1'))
    const approve = tokenOf(question, 'approve')
    expect(summaryOf(await send(goOn(approve, 'a')))).toEqual([200, ['Written.']])
    expect(summaryOf(await send(goOn(approve, 'a')))).toEqual([200, ['Written.']])
    expect(summaryOf(await send(goOn(approve, 'b')))).toEqual([409, 'continuation_used'])
    expect(summaryOf(await send(goOn(tokenOf(question, 'deny'), 'a')))).toEqual([409, 'continuation_used'])
  })

  test('end with their question', async () => {
    const { send, post, advance } = testEngine()
    const short = await send(ask('s0', script({ approve: 'write', expiresMs: 60_000 }, { text: 'Done.' })))
    expect(short.body.response.action_directives?.[0]?.deadline_ms).toBe(60_000)
    advance(60_001)
    expect(summaryOf(await send(goOn(tokenOf(short, 'approve'), 'a')))).toEqual([410, 'continuation_expired'])
    const question = await send(ask('s1'))
    await post('/sessions/s1/cancel')
    expect(summaryOf(await send(goOn(tokenOf(question, 'approve'), 'a')))).toEqual([410, 'continuation_expired'])
  })

  test('of others, and for other sessions and tenants, are invalid', async () => {
    const { send, app } = testEngine()
    const question = await send(ask('s1'))
    await send(ask('s2'))
    const approve = tokenOf(question, 'approve')
    const claim = await openContinuation(app.ports, approve)
    const other = { signingSecret: async () => 'another secret, of another server' }
    const forged = claim ? await sealContinuation(other, claim) : ''
    const replies = [
      await send(goOn('ctok_aq9', 'a')),
      await send(goOn(forged, 'b', { session_id: 's1' })),
      await send(goOn(`${approve.slice(0, -2)}AA`, 'c', { session_id: 's1' })),
      await send(goOn(approve, 'd', { session_id: 's2' })),
      await send(goOn(approve, 'e'), { 'x-fabric-tenant': 'other' }),
    ]
    for (const { status, body } of replies)
      expect([status, body.response.error?.code, body.response.error?.details]).toEqual([
        400,
        'invalid_request',
        { field: 'context.continuation.continuation_token' },
      ])
    expect(questionOf(await send(ask('s1')))).toEqual(questionOf(question))
  })

  test('need the scope approve, and the user whose session it is', async () => {
    const tokens = [
      { token: 'ann', user: 'ann' },
      { token: 'bob', user: 'bob' },
      { token: 'worker', scopes: ['operate' as const] },
    ]
    const { send } = testEngine({ tokens })
    const question = await send(ask('s1'), bearer('ann'))
    const approve = goOn(tokenOf(question, 'approve'), 'a')
    expect(summaryOf(await send(approve, bearer('worker')))).toEqual([403, 'forbidden'])
    expect(summaryOf(await send(approve, bearer('bob')))).toEqual([404, 'not_found'])
    expect(summaryOf(await send(approve, bearer('ann')))).toEqual([200, ['Written.']])
  })
})

test.each([
  ['tool', undefined, 'caution'],
  ['tool', 'low', 'safe'],
  ['tool', 'medium', 'caution'],
  ['tool', 'high', 'dangerous'],
  ['unknown_outcome', 'low', 'dangerous'],
] as const)(
  '[OH19] the risk of a question (%s, %s) is that of the rule that asks: %s',
  async (kind, risk, expected) => {
    const ports = { signingSecret: async () => 'secret', clock: { now: () => 0 } } as never
    const approval = {
      ...{
        id: 'a',
        kind,
        toolCallId: 'c',
        tool: 'pay',
        reason: '',
        arguments: {},
        requestedDigest: '',
        requestedAt: 0,
      },
      ...{ expiresAt: null, runId: 'r', attempt: 1, durable: true, ...(risk && { risk }) },
    }
    const directive = await approvalDirective(ports, { tenant: 't', agent: 'a', id: 's' }, 'r', approval)
    expect([directive.risk_tier, directive.payload?.risk]).toEqual([expected, expected])
  },
)

test('[OH147] a shell without approvals learns that it cannot answer, from the text that it shows in place of a question', async () => {
  const { send } = testEngine({}, { onboard })
  const ask = async (capabilities: object, more: object) => {
    const { body } = await send(messageOf({ ...more }, { capabilities }))
    const question = body.response.action_directives?.find(({ action_type }) => action_type === 'request_approval')
    expect(question?.payload?.message).toBeTypeOf('string')
    return question?.payload?.fallback_message
  }
  const tool = { user_intent: script({ approve: 'write', reason: 'Write it?', args: {} }) }
  const text = { task_hint: { sop_id: 'onboard' } }
  for (const capabilities of [{}, { 'openharness.ui.approval': false }]) {
    expect(await ask(capabilities, tool)).toMatch(/This shell cannot answer\./)
    expect(await ask(capabilities, text)).toBe('Your name? Answer with your next message.')
  }
  expect(await ask({ 'openharness.ui.approval': true }, tool)).toBe(undefined)
})
