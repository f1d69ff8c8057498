import { expect, test } from 'vitest'
import { requestLevel } from './request-level.ts'

test.each([
  ['/health', 200, 'debug'],
  ['/ready', 200, 'debug'],
  ['/metrics', 200, 'debug'],
  ['/metrics', 401, 'info'],
  ['/ready', 503, 'warn'],
  ['/sessions', 200, 'info'],
  ['/sessions/:id/health', 200, 'info'],
  ['/sessions', 500, 'warn'],
] as const)('[O139] a request of %s that is answered with %i is logged as %s', (route, status, level) =>
  expect(requestLevel({ route, status })).toBe(level),
)
