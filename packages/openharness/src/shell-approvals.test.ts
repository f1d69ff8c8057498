import type { ActionDirective } from '@bridle/wire/openharness/wire'
import { describe, expect, test } from 'vitest'
import type { ApprovalThreshold } from './approvals.ts'
import { failure, outcomes, question, say, stubShell, success } from './stub-engine.suite.ts'

const click = (macro: string, more: object = {}) => ({ action_type: 'simulate_action', payload: { macro }, ...more })
const asking = { requires_user_approval: true }
const nameOf = ({ payload }: ActionDirective) => String(payload?.text ?? payload?.macro)

describe('approval before execution', () => {
  test('[OHS24] asks first, executes after a yes, and not after a no', async () => {
    const order: string[] = []
    const { shell, feedback } = stubShell([success(click('a', asking), click('b', asking), click('c'))], {
      approve: async (directive) => {
        order.push(`ask ${nameOf(directive)}`)
        await Promise.resolve()
        return nameOf(directive) === 'a'
      },
      handlers: { simulate_action: ({ macro }) => order.push(`do ${macro}`) },
    })
    expect((await shell.send('Go')).status).toBe('success')
    expect(order).toEqual(['ask a', 'do a', 'ask b', 'do c'])
    expect(outcomes(feedback)).toEqual([
      ['executed', null],
      ['denied', 'not_approved'],
      ['executed', null],
    ])
  })

  test.each<[string, unknown]>([
    ['1', 1],
    ["'true'", 'true'],
    ['an object', {}],
    ['undefined', undefined],
    ['null', null],
    ['false', false],
  ])('[OHS24] %s is no yes', async (_name, answer) => {
    const { shell, calls, feedback } = stubShell([success(click('a', asking))], { approve: () => answer as boolean })
    await shell.send('Go')
    expect([calls, outcomes(feedback)]).toEqual([[], [['denied', 'not_approved']]])
  })

  test('[OHS24] an approver that throws denies; a shell without one denies', async () => {
    const approve = async () => {
      throw new Error('no dialog')
    }
    const throwing = stubShell([success(click('a', asking), click('b'))], { approve })
    const alone = stubShell([success(click('a', asking), click('b'))])
    for (const { shell, calls } of [throwing, alone]) {
      await shell.send('Go')
      expect(calls).toEqual(['b'])
    }
    expect(throwing.feedback[0]).toMatchObject({ outcome: 'denied', code: 'not_approved' })
    expect(alone.feedback[0]).toMatchObject({ outcome: 'denied', code: 'no_approver' })
  })

  test.each<[ApprovalThreshold | undefined, string[]]>([
    [undefined, ['dangerous']],
    ['dangerous', ['dangerous']],
    ['caution', ['caution', 'dangerous']],
    ['never', []],
  ])('[OHS25] approvalFrom %s asks for %j', async (approvalFrom, expected) => {
    const questions: string[] = []
    const tiers = ['safe', 'caution', 'dangerous'].map((tier) => click(tier, { risk_tier: tier }))
    const silent = [
      { ...question('q'), risk_tier: 'dangerous' },
      { action_type: 'noop', risk_tier: 'dangerous' },
    ]
    const { shell, calls } = stubShell([success(click('none'), ...tiers, ...silent)], {
      approve: (directive) => questions.push(nameOf(directive)) > 0,
      ...(approvalFrom && { approvalFrom }),
    })
    await shell.send('Go')
    expect([questions, calls]).toEqual([expected, ['none', 'safe', 'caution', 'dangerous']])
  })

  test('[OHS25] a lower threshold never lifts what a directive asks for', async () => {
    const { shell, calls } = stubShell(
      [
        success(
          click('a', { ...asking, risk_tier: 'safe' }),
          { ...question('q'), ...asking },
          { action_type: 'noop', ...asking },
        ),
      ],
      { approvalFrom: 'never', approve: () => false },
    )
    const { feedback } = await shell.send('Go')
    expect([calls, feedback.map(({ outcome }) => outcome)]).toEqual([[], ['denied', 'denied', 'denied']])
  })

  test('[OHS26] a group asks one question at a time, and begins the rest meanwhile', async () => {
    const order: string[] = []
    let open = 0
    const parallel = { execution: 'parallel' }
    const { shell } = stubShell(
      [
        success(
          click('a', { ...asking, ...parallel }),
          click('b', { ...asking, ...parallel }),
          click('c', parallel),
          click('d'),
        ),
      ],
      {
        approve: async (directive) => {
          expect(++open).toBe(1)
          order.push(`ask ${nameOf(directive)}`)
          for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
          open -= 1
          return true
        },
        handlers: { simulate_action: ({ macro }) => order.push(`do ${macro}`) },
      },
    )
    const { feedback } = await shell.send('Go')
    expect(feedback.map(({ outcome }) => outcome)).toEqual(Array(4).fill('executed'))
    expect(order.filter((line) => line.startsWith('ask'))).toEqual(['ask a', 'ask b'])
    expect(order.indexOf('do c')).toBeLessThan(order.indexOf('do a'))
    expect(order.at(-1)).toBe('do d')
  })
})

describe('request_approval', () => {
  test('[OHS26] the questions of a group are shown one at a time', async () => {
    let open = 0
    const order: unknown[] = []
    const group = ['a', 'b', 'c'].map((run) => ({ ...question(run), execution: 'parallel' }))
    const { shell } = stubShell([success(...group)], {
      handlers: {
        request_approval: async ({ run_id }) => {
          expect(++open).toBe(1)
          for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
          open -= 1
          order.push(run_id)
          return null
        },
      },
    })
    const turn = await shell.send('Go')
    expect([order, turn.openApprovals.length]).toEqual([['a', 'b', 'c'], 3])
  })

  test('[OHS4] an environment that fails later does not take back what was done', async () => {
    let reads = 0
    const environment = () => {
      if (++reads > 1) throw new Error('no sensor')
      return { privacy_tier: 'public' as const }
    }
    const { shell, feedback } = stubShell([success(question('a'))], {
      environment,
      handlers: { request_approval: () => 'approve' },
    })
    const turn = await shell.send('Go')
    expect([turn.error?.code, turn.feedback, feedback.length]).toEqual(['invalid_options', feedback, 1])
  })

  const continuations = (requests: ReturnType<typeof stubShell>['requests']) =>
    requests.map(({ request }) => request.context?.continuation)

  test('[OHS30] sends the token of the chosen option after the other directives, and executes what comes back', async () => {
    const asked: unknown[] = []
    const { shell, requests, calls, feedback } = stubShell(
      [
        success(question('a'), say('meanwhile'), question('b')),
        success(say('a goes on'), question('c')),
        success(say('b ends')),
        success(say('c ends')),
      ],
      {
        handlers: {
          render_message: ({ text }) => calls.push(text),
          request_approval: async ({ message, options, run_id }) => {
            asked.push([message, options.map(({ id, label }) => [id, label])])
            return run_id === 'b' ? 'deny' : 'approve'
          },
        },
      },
    )
    const turn = await shell.send('Go')
    expect(asked[0]).toEqual([
      'May a go on?',
      [
        ['approve', 'Approve'],
        ['deny', 'Deny'],
      ],
    ])
    expect(continuations(requests)).toEqual([
      undefined,
      { run_id: 'a', continuation_token: 'yes-a' },
      { run_id: 'b', continuation_token: 'no-b' },
      { run_id: 'c', continuation_token: 'yes-c' },
    ])
    expect(requests.map(({ request }) => request.context?.user_intent)).toEqual(['Go', 'Approve', 'Deny', 'Approve'])
    expect(calls).toEqual(['meanwhile', 'a goes on', 'b ends', 'c ends'])
    expect([turn.responses.length, turn.openApprovals, feedback.length]).toEqual([4, [], 7])
    expect(JSON.stringify(requests)).not.toContain('plain-')
  })

  test('[OHS30] an answer that fails does not keep the next one back', async () => {
    const expired = failure({ code: 'continuation_expired', retryable: false })
    const { shell, requests, calls } = stubShell([success(question('a'), question('b')), expired, success(say('b'))], {
      handlers: { render_message: ({ text }) => calls.push(text), request_approval: () => 'approve' },
    })
    const turn = await shell.send('Go')
    expect([requests.length, calls, turn.status, turn.error?.code]).toEqual([3, ['b'], 'error', 'continuation_expired'])
  })

  test.each<[string, unknown]>([
    ['an unknown id', 'maybe'],
    ['a token instead of an id', 'yes-a'],
    ['true', true],
  ])('[OHS30] %s sends nothing', async (_name, answer) => {
    const { shell, requests, feedback } = stubShell([success(question('a'))], {
      handlers: { request_approval: () => answer as string },
    })
    const turn = await shell.send('Go')
    expect([requests.length, outcomes(feedback)]).toEqual([1, [['failed', 'handler_failed']]])
    expect(turn.openApprovals).toMatchObject([{ run_id: 'a' }])
  })

  test('[OHS30] options without an id or a token cannot be chosen', async () => {
    const option = { id: 'go', continuation_token: 't' }
    const options = [
      null,
      'go',
      { id: 'x' },
      { id: '', continuation_token: 't' },
      { ...option, id: 7 },
      option,
      { id: 'go', continuation_token: 'twice' },
    ]
    const seen: unknown[] = []
    const directive = {
      action_type: 'request_approval',
      payload: { message: 'M', continuation_token: 'plain', expires_at: null, options },
    }
    const { shell, requests } = stubShell([success(directive), success()], {
      handlers: {
        request_approval: (payload) => {
          seen.push(payload.options)
          return 'go'
        },
      },
    })
    await shell.send('Go')
    expect(seen).toEqual([[{ id: 'go', label: 'go', continuation_token: 't' }]])
    expect(continuations(requests)).toEqual([undefined, { continuation_token: 't' }])
  })

  test('[OHS30] an engine that asks in circles is left after 50 answers', async () => {
    const { shell, requests, telemetry } = stubShell([success(question('a'))], {
      handlers: { request_approval: () => 'approve' },
    })
    await shell.send('Go')
    expect(requests).toHaveLength(51)
    expect(telemetry.map(({ code }) => code)).toEqual(['too_many_follow_ups'])
  })

  test('[OHS31] a question stays open until resume answers it; the plain token only asks', async () => {
    const { shell, requests, calls } = stubShell([
      success(question('a')),
      success(say('still waiting'), question('a')),
      success(say('done')),
    ])
    const turn = await shell.send('Go')
    const [open] = turn.openApprovals
    expect(open?.options.map(({ id }) => id)).toEqual(['approve', 'deny'])
    const status = await shell.resume({
      run_id: open?.run_id ?? '',
      continuation_token: open?.continuation_token ?? '',
    })
    expect(status.openApprovals).toHaveLength(1)
    const token = open?.options[0]?.continuation_token ?? ''
    const end = await shell.resume({ continuation_token: token }, { intent: 'Approve' })
    expect([calls, end.openApprovals]).toEqual([['still waiting', 'done'], []])
    expect(continuations(requests)).toEqual([
      undefined,
      { run_id: 'a', continuation_token: 'plain-a' },
      { continuation_token: 'yes-a' },
    ])
    expect(requests.map(({ request }) => request.context?.user_intent)).toEqual(['Go', undefined, 'Approve'])
  })
})
