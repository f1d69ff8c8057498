import { expect, test } from 'vitest'
import { eventReport, key, TestSession, token } from '../rules/rules.suite.ts'
import { directoryRowOf } from './directory-row.ts'

test('[F50] a row is written again for usage and for a step, and not for text', () => {
  const session = new TestSession()
  session.submit()
  session.report({ type: 'started', model: 'm-1' })
  const first = { row: directoryRowOf(key, session.state, null, session.now), state: session.state }
  expect(first.row.detail).toMatchObject({
    usage: { total_tokens: 0, cost_usd: null },
    step: null,
    model: 'm-1',
    retryAt: null,
  })
  session.report(token('a'))
  const texts = { row: directoryRowOf(key, session.state, first, session.now), state: session.state }
  for (const text of ['b', 'c', 'd']) {
    session.report(token(text), eventReport('thinking', { text }))
    expect(directoryRowOf(key, session.state, texts, session.now)).toBe(texts.row)
  }
  session.report(eventReport('usage', { input_tokens: 3, cost_usd: 0.5 }))
  const used = { row: directoryRowOf(key, session.state, texts, session.now), state: session.state }
  expect(used.row.detail.usage).toEqual({ total_tokens: 3, cost_usd: 0.5 })
  session.report(eventReport('step_progress', { step_id: 'a', summary: 'First' }))
  const row = directoryRowOf(key, session.state, used, session.now)
  expect(row.detail.step).toEqual({ index: 1, total: null, title: 'First', status: 'running' })
})
