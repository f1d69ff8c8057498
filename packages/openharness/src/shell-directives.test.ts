import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DirectiveContext } from './handlers.ts'
import { outcomes, question, say, stubShell, success } from './stub-engine.suite.ts'

const never = () => new Promise<never>(() => {})

describe('unknown and malformed directives', () => {
  test.each<[unknown, string | null]>([
    [{ action_type: 'com.example.unknown', payload: { fallback_message: 'F', message: 'M', text: 'T' } }, 'F'],
    [{ action_type: 'com.example.unknown', payload: { fallback_message: '', message: 'M' } }, 'M'],
    [{ action_type: 'com.example.unknown', payload: { fallback_message: 7, message: 'M' } }, 'M'],
    [{ action_type: 'com.example.unknown', payload: { text: 'T' } }, null],
    [{ action_type: 'com.example.unknown' }, null],
    [{ action_type: 'render_ui', payload: { component: 'Chart', message: 'M' } }, 'M'],
    [{ action_type: 'Render_Message', payload: { text: 'T' } }, null],
    [{ action_type: ' render_message', payload: { text: 'T' } }, null],
    [{ action_type: 'constructor', payload: { message: 'M' } }, 'M'],
    [{ action_type: 'toString', payload: { message: 'M' } }, 'M'],
    [JSON.parse('{"action_type":"__proto__","payload":{"message":"M"}}'), 'M'],
    [
      {
        action_type: 'com.example.unknown',
        requires_user_approval: true,
        risk_tier: 'dangerous',
        payload: { message: 'M' },
      },
      'M',
    ],
  ])('[OHS27] %j is not executed', async (directive, text) => {
    const approve = vi.fn(() => true)
    const { shell, calls, feedback, telemetry } = stubShell([success(directive, say('next'))], { approve })
    expect((await shell.send('Hello', { requestId: 'r' })).status).toBe('success')
    expect(calls).toEqual(text === null ? ['next'] : [text, 'next'])
    expect(outcomes(feedback)).toEqual([
      [text === null ? 'skipped' : 'degraded', 'unknown_action_type'],
      ['executed', null],
    ])
    const { action_type } = directive as { action_type: string }
    expect(telemetry).toEqual([{ code: 'unknown_action_type', request_id: 'r', index: 0, action_type }])
    expect(approve).not.toHaveBeenCalled()
  })

  test('[OHS27] a shell without text skips, and one whose text handler throws goes on', async () => {
    const unknown = { action_type: 'com.example.unknown', payload: { message: 'M' } }
    const mute = stubShell([success(unknown, { action_type: 'noop' })], { handlers: {} })
    await mute.shell.send('Hello')
    expect(outcomes(mute.feedback)).toEqual([
      ['skipped', 'unknown_action_type'],
      ['executed', null],
    ])
    const error = new Error('no screen')
    const handlers = {
      render_message: (): never => {
        throw error
      },
    }
    const broken = stubShell([success(unknown, { action_type: 'noop' })], { handlers })
    await broken.shell.send('Hello')
    expect(outcomes(broken.feedback)).toEqual([
      ['skipped', 'handler_failed'],
      ['executed', null],
    ])
    expect(broken.telemetry.map(({ code }) => code)).toEqual(['unknown_action_type', 'handler_failed'])
  })

  test('[OHS27] the handler of a text knows that it replaces a directive', async () => {
    const contexts: DirectiveContext[] = []
    const directive = { action_type: 'com.example.unknown', payload: { message: 'M' } }
    const { shell } = stubShell([success(say('a'), directive)], {
      handlers: { render_message: (_payload, context) => contexts.push(context) },
    })
    await shell.send('Hello', { requestId: 'r' })
    expect(contexts.map(({ degraded, index, requestId }) => [degraded, index, requestId])).toEqual([
      [false, 0, 'r'],
      [true, 1, 'r'],
    ])
    expect(contexts[1]?.directive).toEqual(directive)
  })

  test.each<[unknown, string, string | null]>([
    [null, 'action_directives', null],
    ['render_message', 'action_directives', null],
    [[say('no')], 'action_directives', null],
    [{ payload: { message: 'M' } }, 'action_type', 'M'],
    [{ action_type: '', payload: { message: 'M' } }, 'action_type', 'M'],
    [{ action_type: 7, payload: { message: 'M' } }, 'action_type', 'M'],
    [say('T', { priority: 'urgent' }), 'priority', 'T'],
    [say('T', { priority: null }), 'priority', 'T'],
    [say('T', { execution: 'eventually' }), 'execution', 'T'],
    [say('T', { risk_tier: 'extreme' }), 'risk_tier', 'T'],
    [say('T', { requires_user_approval: 'false' }), 'requires_user_approval', 'T'],
    [say('T', { requires_user_approval: null }), 'requires_user_approval', 'T'],
    [say('T', { deadline_ms: -1 }), 'deadline_ms', 'T'],
    [say('T', { deadline_ms: 1.5 }), 'deadline_ms', 'T'],
    [say('T', { deadline_ms: '100' }), 'deadline_ms', 'T'],
    [say('T', { extensions: [] }), 'extensions', 'T'],
    [{ action_type: 'render_message', payload: 'T' }, 'payload', null],
    [{ action_type: 'render_message', payload: null }, 'payload', null],
    [{ action_type: 'simulate_action', risk_tier: 'mild', payload: { macro: 'no', message: 'M' } }, 'risk_tier', 'M'],
    [{ action_type: 'com.example.ping', priority: 'now', payload: { fallback_message: 'F' } }, 'priority', 'F'],
  ])('[OHS28] %j degrades', async (directive, field, text) => {
    const { shell, calls, feedback, telemetry } = stubShell([success(directive, say('next'))], { approve: () => true })
    await shell.send('Hello')
    expect(calls).toEqual(text === null ? ['next'] : [text, 'next'])
    expect(feedback[0]).toMatchObject({
      outcome: text === null ? 'skipped' : 'degraded',
      code: 'invalid_directive',
      field,
    })
    expect(telemetry).toMatchObject([{ code: 'invalid_directive', index: 0, field }])
  })

  test.each<[string, unknown, string, string | null]>([
    ['render_message', undefined, 'payload.text', null],
    ['render_message', { text: 7, message: 'M' }, 'payload.text', 'M'],
    ['render_ui', { data: [], fallback_message: 'F' }, 'payload.component', 'F'],
    ['simulate_action', { target: 'B2', message: 'M' }, 'payload.macro', 'M'],
    ['simulate_action', { macro: 'cmd+c', target: null }, 'payload.target', null],
    ['request_approval', { options: [] }, 'payload.message', null],
    ['request_approval', { message: 'M', options: {} }, 'payload.options', 'M'],
    ['request_approval', { message: 'M', run_id: 7 }, 'payload.run_id', 'M'],
  ])('[OHS28] a %s with the payload %j degrades', async (action_type, payload, field, text) => {
    const { calls, shell, feedback } = stubShell([success({ action_type, payload }, say('next'))], {
      handlers: {
        render_message: ({ text: shown }) => calls.push(shown),
        render_ui: () => calls.push('never'),
        simulate_action: () => calls.push('never'),
        request_approval: () => 'approve',
      },
    })
    await shell.send('Hello')
    expect(calls).toEqual(text === null ? ['next'] : [text, 'next'])
    expect(feedback[0]).toMatchObject({ code: 'invalid_payload', field })
  })

  test('[OHS29] noop does nothing and needs no handler', async () => {
    const { shell, feedback, telemetry } = stubShell([success({ action_type: 'noop', payload: { message: 'M' } })], {
      handlers: {},
    })
    await shell.send('Hello')
    expect([outcomes(feedback), telemetry]).toEqual([[['executed', null]], []])
  })

  test('core types get their payloads as typed data; namespaced ones get theirs as it is', async () => {
    const { shell, calls } = stubShell(
      [
        success(
          { action_type: 'render_ui', payload: { component: 'Chart', data: [1], more: true } },
          { action_type: 'com.example.ping', payload: { deep: { a: [null] } } },
          { action_type: 'com.example.ping' },
        ),
      ],
      {
        handlers: {
          render_ui: ({ component, data, more }) => calls.push([component.toUpperCase(), data, more]),
          'com.example.ping': (payload) => calls.push(payload),
        },
      },
    )
    await shell.send('Hello')
    expect(calls).toEqual([['CHART', [1], true], { deep: { a: [null] } }, {}])
  })
})

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('[OHS21] [OHS22] a handler that hangs past its deadline is told, and later directives run', async () => {
    const signals: AbortSignal[] = []
    const { shell, calls, feedback } = stubShell(
      [
        success(
          say('hangs', { deadline_ms: 100 }),
          say('late', { deadline_ms: 100 }),
          say('next', { deadline_ms: 101 }),
          say('last'),
        ),
      ],
      {
        handlers: {
          render_message: ({ text }, { signal }) => {
            calls.push(text)
            signals.push(signal)
            return text === 'hangs' ? never() : undefined
          },
        },
      },
    )
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(99)
    expect([calls, signals[0]?.aborted]).toEqual([['hangs'], false])
    await vi.advanceTimersByTimeAsync(1)
    await turn
    expect(calls).toEqual(['hangs', 'next', 'last'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false])
    expect(outcomes(feedback)).toEqual([
      ['failed', 'handler_timed_out'],
      ['expired', 'deadline_passed'],
      ['executed', null],
      ['executed', null],
    ])
    expect(feedback.map(({ duration_ms }) => duration_ms)).toEqual([100, 0, 0, 0])
  })

  test('[OHS22] the deadline counts from the receipt, not from the request', async () => {
    const transport = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      return success(say('in time', { deadline_ms: 50 }))
    }
    const { shell, calls } = stubShell([], { transport })
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(5_000)
    await turn
    expect(calls).toEqual(['in time'])
  })

  test('[OHS22] a deadline of 0 has passed, and one beyond every timer has not', async () => {
    const unknown = { action_type: 'com.example.unknown', deadline_ms: 0, payload: { message: 'M' } }
    const far = say('far', { deadline_ms: Number.MAX_SAFE_INTEGER })
    const { shell, calls, feedback } = stubShell([success(say('zero', { deadline_ms: 0 }), unknown, far)], {
      handlers: {
        render_message: async ({ text }) => {
          await new Promise((resolve) => setTimeout(resolve, 10))
          calls.push(text)
        },
      },
    })
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(10)
    await turn
    expect(calls).toEqual(['far'])
    expect(feedback.map(({ outcome }) => outcome)).toEqual(['expired', 'expired', 'executed'])
  })

  test('[OHS22] an approval that comes after the deadline begins nothing', async () => {
    const answer = Promise.withResolvers<boolean>()
    let asked: AbortSignal | undefined
    const { shell, calls, feedback } = stubShell(
      [success(say('no', { requires_user_approval: true, deadline_ms: 100 }), say('next'))],
      {
        approve: (_directive, { signal }) => {
          asked = signal
          return answer.promise
        },
      },
    )
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(100)
    answer.resolve(true)
    await turn
    await vi.runAllTimersAsync()
    expect([calls, asked?.aborted]).toEqual([['next'], true])
    expect(outcomes(feedback)[0]).toEqual(['expired', 'deadline_passed'])
  })

  test('[OHS22] time that an approval takes counts', async () => {
    const approve = async () => {
      await new Promise((resolve) => setTimeout(resolve, 80))
      return true
    }
    const slow = say('slow', { requires_user_approval: true, deadline_ms: 100 })
    const { shell, feedback } = stubShell([success(slow)], { approve, handlers: { render_message: never } })
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(100)
    await turn
    expect(feedback).toMatchObject([{ outcome: 'failed', code: 'handler_timed_out', duration_ms: 100 }])
  })

  test.each([
    [undefined, 60_000],
    [250, 250],
  ])('[OHS23] handlerTimeoutMs %s gives a handler %i ms', async (handlerTimeoutMs, ms) => {
    const { shell, feedback } = stubShell([success(say('hangs'), say('hangs', { deadline_ms: 10 * ms }))], {
      handlers: { render_message: never },
      ...(handlerTimeoutMs && { handlerTimeoutMs }),
    })
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(2 * ms)
    await turn
    expect(feedback.map(({ code, duration_ms }) => [code, duration_ms])).toEqual(
      Array(2).fill(['handler_timed_out', ms]),
    )
  })

  test('[OHS23] a person may take a day to answer, but not beyond the deadline of the question', async () => {
    const day = 24 * 60 * 60 * 1_000
    const handlers = {
      request_approval: async () => {
        await new Promise((resolve) => setTimeout(resolve, day))
        return 'approve'
      },
    }
    const patient = stubShell([success(question('a')), success()], { handlers })
    const hasty = stubShell([success({ ...question('b'), deadline_ms: 1_000 }), success()], { handlers })
    const turns = Promise.all([patient.shell.send('Hello'), hasty.shell.send('Hello')])
    await vi.advanceTimersByTimeAsync(day)
    await turns
    expect([patient.requests.length, hasty.requests.length]).toEqual([2, 1])
    expect(outcomes(hasty.feedback)).toEqual([['failed', 'handler_timed_out']])
  })
})

describe('reports', () => {
  test('[OHS32] feedback has no payloads and no texts of errors', async () => {
    const secret = 'canary-secret'
    const { shell, feedback } = stubShell(
      [success(say(secret), { action_type: 'com.example.x', payload: { message: secret } })],
      {
        handlers: {
          render_message: () => {
            throw new Error(secret)
          },
        },
      },
    )
    const turn = await shell.send('Hello', { requestId: 'r' })
    expect(feedback).toEqual([
      {
        request_id: 'r',
        index: 0,
        action_type: 'render_message',
        outcome: 'failed',
        code: 'handler_failed',
        field: null,
        duration_ms: expect.any(Number),
      },
      {
        request_id: 'r',
        index: 1,
        action_type: 'com.example.x',
        outcome: 'skipped',
        code: 'handler_failed',
        field: null,
        duration_ms: expect.any(Number),
      },
    ])
    expect(turn.feedback).toEqual(feedback)
    expect(JSON.stringify(feedback)).not.toContain(secret)
  })

  test('[OHS32] hooks that throw change nothing', async () => {
    const error = new Error('no disk')
    const events: unknown[] = []
    const { shell, calls } = stubShell([success({ action_type: 'x.y' }, say('a'), say('b'))], {
      onFeedback: () => {
        throw error
      },
      onTelemetry: (event) => {
        events.push([event.code, event.error])
        throw error
      },
    })
    expect((await shell.send('Hello')).feedback).toHaveLength(3)
    expect(calls).toEqual(['a', 'b'])
    expect(events).toEqual([['unknown_action_type', undefined], ...Array(3).fill(['hook_failed', error])])
  })

  test('[OHS33] the signal of a turn ends it, and only it', async () => {
    const controller = new AbortController()
    const stopped: boolean[] = []
    const { shell, calls, feedback } = stubShell([success(say('a'), say('b'), say('c')), success(say('other turn'))], {
      handlers: {
        render_message: ({ text }, { signal }) => {
          calls.push(text)
          if (text !== 'b') return undefined
          signal.addEventListener('abort', () => stopped.push(true))
          controller.abort()
          return never()
        },
      },
    })
    await Promise.all([shell.send('Hello', { signal: controller.signal }), shell.send('Hello')])
    expect([calls, stopped]).toEqual([['a', 'b', 'other turn'], [true]])
    expect(outcomes(feedback)).toEqual([
      ['executed', null],
      ['aborted', 'turn_aborted'],
      ['aborted', 'turn_aborted'],
      ['executed', null],
    ])
  })

  test('[OHS33] a request that has not come back is aborted', async () => {
    const controller = new AbortController()
    let sent: AbortSignal | undefined
    const transport = (_request: unknown, { signal }: { signal: AbortSignal }) => {
      sent = signal
      controller.abort()
      return never()
    }
    const { shell } = stubShell([], { transport })
    expect((await shell.send('Hello', { signal: controller.signal })).error).toMatchObject({
      code: 'aborted',
      retryable: false,
    })
    expect(sent?.aborted).toBe(true)
    expect((await shell.send('Hello', { signal: AbortSignal.abort() })).error?.code).toBe('aborted')
  })
})
