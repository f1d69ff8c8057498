import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createLogger, requestLevel } from './logger.ts'

const lines = (level: string | undefined, isTerminal: boolean) => {
  const written: string[] = []
  const log = createLogger({ level, isTerminal, write: (line) => written.push(line), now: () => 0 })
  log('debug', 'a')
  log('info', 'b', { route: '/x', status: 200 })
  log('error', 'c')
  return written
}

test.each([
  [undefined, false, ['info', 'error']],
  ['debug', false, ['debug', 'info', 'error']],
  ['error', false, ['error']],
  ['silent', false, []],
])('level %s writes %j', (level, isTerminal, expected) => {
  expect(lines(level, isTerminal).map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected)
})

test('[O6] a machine gets one JSON object per line', () => {
  expect(JSON.parse(lines('info', false)[0] ?? '')).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    message: 'b',
    route: '/x',
    status: 200,
  })
})

test('[O6] a person gets a short line, and only what matters', () => {
  expect(lines(undefined, true).map((line) => stripVTControlCharacters(line).trim())).toEqual(['00:00:00 error c'])
})

test('[O6] on a terminal no word of a line is broken', () => {
  const written: string[] = []
  const log = createLogger({
    ...{ level: 'warn', isTerminal: true, columns: () => 40, now: () => 0 },
    write: (line) => written.push(stripVTControlCharacters(line)),
  })
  log('warn', '1 sandbox goes on without the server: the next start continues its run', { id: 'x' })
  expect(written.join('\n').split('\n')).toEqual([
    '00:00:00 warn 1 sandbox goes on without',
    '  the server: the next start continues',
    '  its run id=x',
  ])
})

test('a level that is none says so', () => {
  expect(() => lines('loud', false)).toThrow(
    expect.objectContaining({ code: 'log_level_invalid', message: expect.stringContaining('BRIDLE_LOG') }),
  )
})

test.each([
  ['/health', 200, 'debug'],
  ['/ready', 200, 'debug'],
  ['/metrics', 200, 'debug'],
  ['/metrics', 401, 'info'],
  ['/ready', 503, 'warn'],
  ['/sessions', 200, 'info'],
  ['/sessions/:id/health', 200, 'info'],
  ['/sessions', 500, 'warn'],
] as const)('[O138] a request of %s that is answered with %i is logged as %s', (route, status, level) =>
  expect(requestLevel({ route, status })).toBe(level),
)
