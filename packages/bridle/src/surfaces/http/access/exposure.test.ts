import { expect, test } from 'vitest'
import { isExposed } from './exposure.ts'

const agents = new Map(
  Object.entries({ hooked: true, shy: false, 'hooked.own': false }).map(([name, webhook]) => [
    name,
    { webhook, engine: 'native', runnerKind: 'in_process' as const },
  ]),
)

test.each([
  ['hooked', true],
  ['shy', false],
  ['named', true],
  ['hooked.helper', true],
  ['hooked.helper.deeper', true],
  ['named.helper', true],
  ['shy.helper', false],
  // An agent of the server's own, whatever it is called.
  ['hooked.own', false],
  ['hookedhelper', false],
])('[N125] in production the agent "%s" is open: %s', (name, expected) =>
  expect(isExposed({ exposeAll: false, expose: ['named'], agents }, name)).toBe(expected),
)
