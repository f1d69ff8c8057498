// Questions that take a text, or answers.
import { expect, test } from 'vitest'
import type { ApprovalHandler, QuestionReply } from './handlers.ts'
import { outcomes, question, say, stubShell, success } from './stub-engine.suite.ts'

const shellWith = (request_approval: ApprovalHandler) =>
  stubShell([success(question('a'), question('b')), success(say('one')), success(say('two'))], {
    handlers: { request_approval, render_message: () => {} },
  })

test('[OHS65] an answer in words is the intent of the request with its token; an option alone has its label', async () => {
  const { shell, requests } = shellWith(({ run_id }) => (run_id === 'a' ? { option: 'approve', text: 'Ann' } : 'deny'))
  expect((await shell.send('Go')).status).toBe('success')
  expect(requests.slice(1).map(({ request }) => [request.context?.user_intent, request.context?.continuation])).toEqual(
    [
      ['Ann', { run_id: 'a', continuation_token: 'yes-a' }],
      ['Deny', { run_id: 'b', continuation_token: 'no-b' }],
    ],
  )
})

test.each<[string, unknown]>([
  ['an unknown option', { option: 'maybe', text: 'Ann' }],
  ['no option', { text: 'Ann' }],
  ['a text that is none', { option: 'approve', text: 7 }],
  ['a list', ['approve']],
])('[OHS65] %s sends nothing, and the question stays open', async (_name, answer) => {
  const { shell, requests, feedback } = shellWith(() => answer as string)
  const { openApprovals } = await shell.send('Go')
  expect([requests.length, outcomes(feedback), openApprovals.length]).toEqual([
    1,
    [
      ['failed', 'handler_failed'],
      ['failed', 'handler_failed'],
    ],
    2,
  ])
})

test('[OHS60] the option alone is no answer to a question for a text; declining it is', async () => {
  const asking = (run: string) => {
    const { payload, ...directive } = question(run)
    return { ...directive, payload: { ...payload, tool: 'user.input' } }
  }
  const answers = ['approve', { option: 'approve' }, { option: 'approve', text: '' }, 'deny'] as const
  const runs = ['a', 'b', 'c', 'd']
  const { shell, requests, feedback } = stubShell([success(...runs.map(asking)), success(say('no'))], {
    handlers: {
      render_message: () => {},
      request_approval: ({ run_id }) => answers[runs.indexOf(run_id ?? '')] as string,
    },
  })
  const { openApprovals } = await shell.send('Go')
  expect(requests.slice(1).map(({ request }) => request.context?.continuation?.continuation_token)).toEqual(['no-d'])
  expect(openApprovals.map(({ run_id }) => run_id)).toEqual(['a', 'b', 'c'])
  expect(outcomes(feedback)[0]).toEqual(['failed', 'handler_failed'])
})

test('[OHS68] answers and values are fields of the request with the token; approve alone is none, unless there is a default', async () => {
  const questions = [{ id: 'db', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }]
  const schema = { type: 'object', properties: { port: { type: 'integer' } } }
  const asking = (run: string, more: object) => {
    const { payload, ...directive } = question(run)
    return { ...directive, payload: { ...payload, tool: 'ask', ...more } }
  }
  const replies: { readonly [run: string]: QuestionReply } = {
    a: { option: 'approve', answers: { db: 'SQLite' } },
    b: { option: 'approve', values: { port: 1 } },
    c: 'approve',
    d: 'approve',
    e: 'deny',
    f: 'approve',
  }
  const seen: unknown[] = []
  const first = success(
    asking('a', { questions }),
    asking('b', { schema }),
    asking('c', { questions }),
    asking('d', { questions, default: { db: 'SQLite' } }),
    asking('e', { schema }),
    // Another engine may use these names for other fields.
    asking('f', { questions: 3, schema: 'none' }),
  )
  const { shell, requests, feedback } = stubShell([first, ...Array(5).fill(success())], {
    handlers: {
      render_message: () => {},
      request_approval: ({ run_id = '', questions, schema }) => {
        seen.push([run_id, questions?.length, schema?.type])
        return replies[run_id]
      },
    },
  })
  const { openApprovals } = await shell.send('Go')
  expect(
    requests.slice(1).map(({ request }) => [request.context?.continuation?.run_id, request.context?.extensions]),
  ).toEqual([
    ['a', { 'dev.bridle': { answers: { db: 'SQLite' } } }],
    ['b', { 'dev.bridle': { values: { port: 1 } } }],
    ['d', undefined],
    ['e', undefined],
    ['f', undefined],
  ])
  expect(openApprovals.map(({ run_id }) => run_id)).toEqual(['c'])
  expect(outcomes(feedback)[2]).toEqual(['failed', 'handler_failed'])
  expect(seen).toEqual([
    ['a', 1, undefined],
    ['b', undefined, 'object'],
    ['c', 1, undefined],
    ['d', 1, undefined],
    ['e', undefined, 'object'],
    ['f', undefined, undefined],
  ])
})
