import { expect, test } from 'vitest'
import { budgetsOverLimit, nextHealthChangeAt } from './budgets.ts'
import { healthFold } from './health.ts'

const T = 1_700_000_000_000
const policy = { health: { max_runtime_minutes: 1 } }

test('[S35] a granted time is crossed at the very moment that is waited for', () => {
  for (let spentMs = 60_001; spentMs < 200_000; spentMs += 131) {
    const granted = { max_runtime_minutes: spentMs / 60_000 + 1 }
    const fold = { ...healthFold.initial, granted, ranMs: spentMs, runningSince: T, activeAt: T }
    const wakes: number[] = []
    for (let now = T; ; ) {
      const wake = nextHealthChangeAt(fold, policy, 'running', now)
      if (wake === null || wake > T + 100_000) break
      wakes.push(wake)
      now = wake
    }
    const crossed = wakes.at(-1) ?? T
    const over = (now: number) => budgetsOverLimit(fold, policy, 'running', now).length
    expect([spentMs, crossed, over(crossed - 1), over(crossed)]).toEqual([spentMs, T + 60_001, 0, 1])
  }
})
