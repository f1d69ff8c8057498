// Questions that take a text.
import { expect, test } from 'vitest'
import type { ApprovalHandler } from './handlers.ts'
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
