// Engines may send anything: the shell ends its turn and keeps its promises.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stubShell, success } from './stub-engine.suite.ts'

const anything = fc.jsonValue({ maxDepth: 3 })
/** Mostly a value that the protocol has; sometimes anything at all, or nothing. */
const field = (...values: readonly unknown[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: anything },
    { weight: 2, arbitrary: fc.constant(undefined) },
  )
const directive = fc.record({
  action_type: field('simulate_action', 'render_message', 'com.example.ping', 'request_approval', 'noop', '__proto__'),
  priority: field('low', 'critical'),
  execution: field('sequential', 'parallel'),
  risk_tier: field('safe', 'caution', 'dangerous'),
  requires_user_approval: field(true, false),
  deadline_ms: field(60_000, 0),
  payload: field({ macro: 'm', text: 't', message: 'q' }, { message: 'm' }, {}),
})
const response = fc.record({
  protocol_version: field('1.0.0', '1.4.2', '2.0.0'),
  request_id: field('r'),
  capability_denials: field([], [{ capability: 'x' }]),
  request: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anything }),
  response: fc.oneof(
    { weight: 1, arbitrary: anything },
    {
      weight: 8,
      arbitrary: fc.record({
        status: field('success', 'error'),
        error: field({ code: 'x', retryable: false }),
        action_directives: fc.oneof({ weight: 5, arbitrary: fc.array(directive, { maxLength: 5 }) }, anything),
      }),
    },
  ),
})

test('[OHS10] any JSON at all ends in a turn, and an error of the turn has executed nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(response, anything), async (message) => {
      const { shell, calls, feedback } = stubShell([message], { approve: () => true })
      const turn = await shell.send('Go', { requestId: 'r' })
      // The hook hears of the members of a group as they end.
      expect(turn.feedback).toEqual(feedback.toSorted((one, other) => one.index - other.index))
      if (turn.status === 'error') expect([calls, feedback]).toEqual([[], []])
    }),
    { numRuns: 1_000 },
  )
})

test('[OHS24] [OHS27] [OHS28] nothing runs without a handler, a valid directive, and the approval that it needs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(directive, { maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      async (all, answers) => {
        const approved = new Set<number>()
        const executed: number[] = []
        const act = (_payload: unknown, { index }: { index: number }) => executed.push(index)
        const { shell, feedback } = stubShell([success(...all)], {
          approve: (_directive, { index }) => {
            if (answers[index]) approved.add(index)
            return answers[index] === true
          },
          handlers: { simulate_action: act, 'com.example.ping': act },
        })
        await shell.send('Go')
        expect(feedback.length).toBe(all.length)
        for (const index of executed) {
          const { action_type, requires_user_approval: asks, risk_tier: risk, payload } = all[index]!
          expect(['simulate_action', 'com.example.ping']).toContain(action_type)
          expect([undefined, true, false]).toContain(asks)
          expect([undefined, 'safe', 'caution', 'dangerous']).toContain(risk)
          expect(payload === undefined || (typeof payload === 'object' && payload !== null)).toBe(true)
          if (asks === true || risk === 'dangerous') expect(approved.has(index)).toBe(true)
        }
        expect(new Set(executed).size).toBe(executed.length)
      },
    ),
    { numRuns: 500 },
  )
})
