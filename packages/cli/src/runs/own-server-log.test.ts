import type { LogLevel } from '@bridle/server/node/logger'
import { afterEach, expect, test, vi } from 'vitest'
import { devServerLog, ownServerLog, withoutFailedRuns } from './own-server-log.ts'

afterEach(() => vi.restoreAllMocks())

test.each<[NodeJS.ProcessEnv, readonly LogLevel[]]>([
  [{}, ['warn', 'error']],
  [{ BRIDLE_LOG: 'debug' }, ['debug', 'info', 'warn', 'error']],
  [{ BRIDLE_LOG: 'error' }, ['error']],
  [{ BRIDLE_LOG: 'silent' }, []],
])('[C301] with %j the server of a command writes %j', (env, expected) => {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  const log = ownServerLog(env)
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log(level, `a line of ${level}`)
  // The run itself is shown as failed.
  log('error', 'request', { route: '/agents/:name/:id', status: 500 })
  if (env.BRIDLE_LOG === undefined) log('warn', 'request', { route: '/agents/:name/:id', status: 503 })
  vi.restoreAllMocks()
  expect(lines).toEqual(expected.map((level) => expect.stringContaining(`a line of ${level}`)))
  expect(lines).toHaveLength(expected.length)
})

test.each<[NodeJS.ProcessEnv, number]>([
  [{}, 0],
  [{ BRIDLE_LOG: 'info' }, 1],
])('[C301] with %j dev has %i lines about a request that is answered, also in a pipe', (env, expected) => {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  devServerLog(env)('info', 'request', { method: 'GET', route: '/sessions', status: 200 })
  vi.restoreAllMocks()
  expect(lines).toHaveLength(expected)
})

test.each([
  ['/agents/:name/:id', 503, {}, false],
  ['/sessions', 503, {}, false],
  ['/chat/sessions', 503, {}, false],
  ['/agents/:name/:id', 500, {}, false],
  // A disk that fails, and a server that is not ready, are said nowhere else.
  ['/agents/:name/:id', 503, { cause: 'The disk is full.' }, true],
  ['/sessions', 503, { method: 'GET' }, true],
  ['/ready', 503, {}, true],
  ['/sessions', 500, {}, true],
])('[C340] dev on a request of %s with %i and %j: a line is %s', (route, status, fields, isShown) => {
  const lines: string[] = []
  withoutFailedRuns((level, message) => lines.push(`${level} ${message}`))('warn', 'request', {
    ...{ method: 'POST', route, status },
    ...fields,
  })
  expect(lines).toEqual(isShown ? ['warn request'] : [])
})
