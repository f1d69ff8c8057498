import type { Payloads } from '@bridle/events/schemas'
import { expect, test } from 'vitest'
import { eventReport, key, TestSession } from '../../rules/rules.suite.ts'
import { usageTotals } from '../../views/work-progress.ts'

const started = (): TestSession => {
  const session = new TestSession()
  session.submit()
  session.report({ type: 'started' })
  return session
}
const use = (session: TestSession, ...reports: Payloads['usage'][]): void => {
  for (const report of reports) session.report(eventReport('usage', report))
}

test('[F43] usage sums up over turns; nobody has told a cost until somebody does', () => {
  const session = started()
  expect(usageTotals(session.state)).toEqual({
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    cost_usd: null,
    context_usage_pct: null,
    model_calls: 0,
  })
  use(session, { input_tokens: 10, output_tokens: 2, context_usage_pct: 40 }, { total_tokens: 5 })
  expect(usageTotals(session.state)).toMatchObject({ total_tokens: 17, cost_usd: null, model_calls: 2 })
  session.report({ type: 'finished' })
  session.submit()
  session.report({ type: 'started' })
  use(session, { input_tokens: 1, output_tokens: 1, cost_usd: 0.5, estimated: true }, { cost_usd: -0.25 })
  expect(usageTotals(session.state)).toEqual({
    input_tokens: 11,
    output_tokens: 3,
    total_tokens: 19,
    cost_usd: 0.25,
    context_usage_pct: 40,
    model_calls: 3,
  })
})

test('[F43] a compacted context is of unknown size until the next report', () => {
  const session = started()
  const percent = () => usageTotals(session.state).context_usage_pct
  session.report(eventReport('context_warning', { usage_pct: 91 }))
  expect(percent()).toBe(91)
  session.report(eventReport('context_compacted', { summary: 'short' }))
  expect(percent()).toBe(null)
  use(session, { input_tokens: 1, context_usage_pct: 12 })
  expect(percent()).toBe(12)
})

test('[F43] a branch has used nothing yet', () => {
  const session = started()
  use(session, { input_tokens: 10, output_tokens: 2, cost_usd: 1 })
  session.report({ type: 'finished' })
  const branch = new TestSession(session.state)
  branch.branchPoint = { agent: key.agent, id: 'parent', seq: session.state.head }
  branch.do({ type: 'branch', parent: branch.branchPoint })
  expect(usageTotals(branch.state)).toMatchObject({ total_tokens: 0, cost_usd: null, model_calls: 0 })
})
