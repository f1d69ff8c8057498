import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const candidates = ['start', 'status', 'sessions', 'approve', 'approvals', 'tenantRequired', 'q']

test.each<[string, string | null]>([
  ['start', 'start'],
  ['START', 'start'],
  ['strat', 'start'],
  ['tsart', 'start'],
  ['stat', 'start'],
  ['stort', 'start'],
  ['startt', 'start'],
  ['aprove', 'approve'],
  ['approvas', 'approvals'],
  ['tenantrequird', 'tenantRequired'],
  ['tennantRequierd', 'tenantRequired'],
  ['k', 'q'],
  ['stuart mill', null],
  ['elephant', null],
  ['', 'q'],
  ['x'.repeat(1_000_000), null],
])('%.20s', (name, expected) => {
  expect(nearestName(name, candidates)).toBe(expected)
})

test('the closest one wins, and of two that are equally close the first', () => {
  expect(nearestName('approval', ['approve', 'approvals'])).toBe('approvals')
  expect(nearestName('bat', ['cat', 'hat'])).toBe('cat')
  expect(nearestName('bat', [])).toBeNull()
})
