import { expect, test } from 'vitest'
import { isExposed, refusePrivateAgent } from './exposure.ts'

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

test.each([
  ['a caller who may list agents', { scopes: ['observe'] as const, sessionId: null }, ' (BRIDLE_EXPOSE=named,shy)'],
  ['a ticket for one session', { scopes: ['observe'] as const, sessionId: 'mine' }, ''],
  ['a credential that only operates', { scopes: ['operate'] as const, sessionId: null }, ''],
])('[H16] the refusal to %s names the whole setting, or no agent', (_, access, setting) => {
  const named = { webhook: false, engine: 'native', runnerKind: 'in_process' as const }
  const ports = { exposeAll: false, expose: ['named', 'nobody'], agents: new Map([...agents, ['named', named]]) }
  expect(refusePrivateAgent({ access, ports }, 'shy')?.message).toBe(
    `In production the agent "shy" is private. To open it, declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE${setting}.`,
  )
})
