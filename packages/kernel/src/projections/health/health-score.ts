// 100 minus penalties. Each penalty has a reason, the event that proves it, and advice.

import { STUCK_MS } from '@bridle/events/limits'
import type { BudgetName, SessionStatus } from '@bridle/events/schemas'
import { type FindingSubject, findingWords, type HealthFlag } from '@bridle/words/health'
import type { Lifecycle } from '../lifecycle-state.ts'
import { budgetMeasures } from './budget-measures.ts'
import { withoutForgiven } from './health.ts'
import type { HealthFold } from './health-state.ts'

export interface HealthReport {
  readonly score: number
  readonly flags: readonly HealthFlag[]
  readonly reasons: readonly string[]
  readonly hint: string | null
  readonly findings: readonly HealthFinding[]
}

export interface HealthFinding {
  readonly subject: FindingSubject
  readonly points: number
  readonly flag: HealthFlag | null
  readonly reason: string
  readonly hint: string | null
  readonly evidenceSeq: number | null
}

/** `over`: budgets above their limit that have stopped nothing yet, as a turn may end over budget. `kind` only affects words. */
export const assessHealth = (
  whole: HealthFold,
  status: SessionStatus,
  now: number,
  over: readonly BudgetName[] = [],
  kind: Lifecycle['kind'] = 'chat',
): HealthReport => {
  const fold = withoutForgiven(whole)
  // Waiting runs have no running clock.
  const stuck = status === 'running' && fold.runningSince !== null && now >= fold.activeAt + STUCK_MS
  const noticed = Object.keys(fold.crossed) as BudgetName[]
  const crossed = [...new Set([...noticed, ...over])]
  const lines: readonly [FindingSubject, boolean, number, HealthFlag | null][] = [
    ['failed', status === 'failed', 40, null],
    ['stuck', stuck, 30, 'stuck'],
    ['budget', crossed.length > 0, 20, 'budget'],
    ['waiting', status === 'awaiting_approval', 0, 'waiting'],
    ['transport', fold.degraded !== null, 15, 'degraded'],
    ['retries', fold.retries > 0, Math.min(30, 10 * fold.retries), fold.retries > 1 ? 'degraded' : null],
    ['tools', fold.failedTools > 0, Math.min(30, 5 * fold.failedTools), null],
    ['loops', fold.loopWarnings > 0, Math.min(20, 10 * fold.loopWarnings), null],
    ['plans', fold.repeatedPlans > 0, Math.min(10, 2 * fold.repeatedPlans), null],
    ['context', fold.contextPct >= 90, 10, 'degraded'],
  ]
  const facts = { ...fold, kind, status, overBudgets: crossed, isBudgetReported: noticed.length > 0 }
  const proofOf = (subject: FindingSubject): number | undefined => {
    if (subject === 'stuck') return fold.activeSeq
    const [first] = over
    const shown = subject === 'budget' && noticed.length === 0 && first ? budgetMeasures[first].evidence : subject
    return shown === null ? undefined : fold.evidenceSeqs[shown]
  }
  const findings = lines
    .filter(([, holds]) => holds)
    .map(([subject, , points, flag]): HealthFinding => {
      return { subject, points, flag, ...findingWords(subject, facts), evidenceSeq: proofOf(subject) ?? null }
    })
  return {
    score: Math.max(
      0,
      findings.reduce((score, { points }) => score - points, 100),
    ),
    flags: [...new Set(findings.flatMap(({ flag }) => (flag ? [flag] : [])))].sort(),
    reasons: findings.map(({ reason }) => reason),
    hint: findings.find(({ hint }) => hint)?.hint ?? null,
    findings,
  }
}
