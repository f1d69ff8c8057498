import { describe, expect, test } from 'vitest'
import {
  chosenEffortProblem,
  chosenModelProblem,
  effectiveRepository,
  effectiveSettings,
} from './effective-settings.ts'

const modes = ['plan', 'default', 'acceptEdits', 'dontAsk', 'auto', 'bypassPermissions']

const modeOf = (agent: string | undefined, session: unknown, request: unknown = undefined): string | undefined =>
  effectiveSettings(agent === undefined ? {} : { permission_mode: agent }, {
    settings: session === undefined ? {} : { permission_mode: session as string },
    input: request === undefined ? null : { permission_mode: request as string },
  }).permission_mode ?? undefined

describe('[R23] the permission mode of a run', () => {
  test('a session tightens the mode of its agent', () => {
    for (const agent of [undefined, 'of tomorrow', ...modes])
      expect([agent, modeOf(agent, 'plan')]).toEqual([agent, 'plan'])
    expect(modeOf('bypassPermissions', 'default')).toBe('default')
    expect(modeOf('acceptEdits', 'default')).toBe('default')
    expect(modeOf('bypassPermissions', 'acceptEdits')).toBe('acceptEdits')
  })

  test.each(['acceptEdits', 'dontAsk', 'auto', 'bypassPermissions', 'normal', 'of tomorrow', 'toString', '', 7, null])(
    'a session does not widen an agent that asks, or plans: %s',
    (session) => {
      expect(modeOf('default', session)).toBe('default')
      expect(modeOf('plan', session)).toBe('plan')
      expect(modeOf(undefined, session)).toBeUndefined()
    },
  )

  test('no mode of a session is wider than that of its agent, whatever both are', () => {
    for (const agent of modes)
      for (const session of modes) {
        const mode = modeOf(agent, session)
        expect([agent, session]).toContain(mode)
        // The session's mode holds in one of the two directions at most.
        if (mode !== agent) expect(modeOf(session, agent)).toBe(session)
      }
  })

  test.each([undefined, 'of tomorrow', ...modes])('a request sets no mode: the agent has %s', (agent) => {
    for (const request of [...modes, 'normal'])
      for (const session of [undefined, 'plan']) expect(modeOf(agent, session, request)).toBe(modeOf(agent, session))
  })
})

test('[R23] a request lowers limits and chooses a model, and nothing else', () => {
  const agent = { model: 'a', permission_mode: 'default', max_budget_usd: 2, max_turns: 5 }
  const input = { model: 'b', max_budget_usd: 1, max_turns: 9, permission_mode: 'bypassPermissions', models: ['*'] }
  expect(effectiveSettings(agent, { settings: { model: 'c', max_turns: 3 }, input })).toEqual({
    ...{ model: 'b', permission_mode: 'default', max_budget_usd: 1, max_turns: 3 },
  })
})

test.each([
  ['the operator chose it', { model: 'own' }, {}, { prompt: 'a' }, null],
  ['a session names another', { model: 'own' }, { model: 'dear' }, 'a', 'not dear'],
  ['a request names another', {}, {}, { prompt: 'a', model: 'dear' }, 'not dear'],
  ['a request names the operator’s own again', { model: 'own' }, { model: 'dear' }, { model: 'own' }, null],
  ['a request without a model leaves that of the session', {}, { model: 'dear' }, { model: null }, 'not dear'],
  ['only a text names a model', { model: 'own' }, { model: ['dear'] }, { model: { name: 'dear' } }, null],
])('[R28] the model of a run: %s', (_name, agent, settings, input, expected) =>
  expect(chosenModelProblem(agent, { settings, input }, (model) => `not ${model}`)).toBe(expected),
)

test.each([
  [undefined, undefined, 'instructions'],
  [undefined, 'none', 'none'],
  ['instructions', 'none', 'none'],
  ['none', undefined, 'none'],
  ['none', 'instructions', 'none'],
  ['instructions', 7, 'instructions'],
] as const)('[EN2] the operator says %s of the repository, and a session %s', (agent, session, expected) => {
  expect(effectiveRepository(agent, { settings: session === undefined ? {} : { repository: session } })).toBe(expected)
})

test.each([
  ['the operator chose it', { effort: 'low' }, {}, null, 'low'],
  ['a session has another', { effort: 'low' }, { think_level: 'high' }, null, 'high'],
  ['a request has another', { effort: 'low' }, { think_level: 'high' }, { effort: 'max' }, 'max'],
  ['a session has one that the engine does not know', { effort: 'low' }, { think_level: 'sharp' }, null, 'low'],
  ['only a text is an effort', {}, { think_level: 3 }, { effort: { level: 'max' } }, undefined],
  ['a session has no field of that name', {}, { effort: 'max' }, null, undefined],
])('[R46] the effort of a run: %s', (_name, agent, settings, input, expected) =>
  expect(effectiveSettings(agent, { settings, input }, ['low', 'high', 'max']).effort).toBe(expected),
)

test('[R46] an effort of a request that the engine does not have is a problem, wherever it came from', () => {
  const problem = (input: object | string) => chosenEffortProblem({ input: input as never }, (effort) => `no ${effort}`)
  expect([problem({ effort: 'sharp' }), problem({ effort: 7 }), problem({}), problem('sharp')]).toEqual([
    ...['no sharp', null, null, null],
  ])
})
