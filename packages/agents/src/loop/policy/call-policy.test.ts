import type { JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import type { PolicyRule } from '../../policy.ts'
import { ruleNames, ruleOn } from './call-policy.ts'

const allow = (tool: string, more: Partial<PolicyRule> = {}): PolicyRule => ({ tool, do: 'allow', ...more })
const ask = (tool: string, more: Partial<PolicyRule> = {}): PolicyRule => ({ tool, do: 'ask', ...more })
const deny = (tool: string, more: Partial<PolicyRule> = {}): PolicyRule => ({ tool, do: 'deny', ...more })
const throws = () => {
  throw new Error('broken')
}
/** The test fails, as a server would end, where nobody takes the error. */
const fails = async () => throws()

test.each<[string, PolicyRule[], string, JsonObject, string | null]>([
  ['[N94] no rule', [], 'pay', {}, null],
  ['[N94] a rule about another tool', [deny('send')], 'pay', {}, null],
  ['[N94] one rule', [ask('pay')], 'pay', {}, 'ask by ask pay'],
  ['[N94] deny before ask before allow', [allow('*'), ask('p*'), deny('pay')], 'pay', {}, 'deny by deny pay'],
  ['[N94] ask before allow, in any order', [ask('p*'), allow('pay')], 'pay', {}, 'ask by ask p*'],
  ['[N94] the first of those that weigh the same', [ask('*'), ask('pay')], 'pay', {}, 'ask by ask *'],
  [
    '[N95] a command',
    [deny('shell', { command: 'rm *' })],
    'shell',
    { command: ' rm -rf /' },
    'deny by deny shell command rm *',
  ],
  ['[N95] another command', [deny('shell', { command: 'rm *' })], 'shell', { command: 'ls' }, null],
  ['[N95] no command', [deny('shell', { command: '*' })], 'shell', { path: 'rm x' }, null],
  [
    '[N95] a command as a list',
    [deny('shell', { command: 'rm *' })],
    'shell',
    { command: ['rm', '-rf'] },
    'deny by deny shell command rm *',
  ],
  [
    '[N95] a function',
    [ask('pay', { when: ({ sum }) => Number(sum) > 10 })],
    'pay',
    { sum: 11 },
    'ask by ask pay when',
  ],
  ['[N95] a function that says no', [ask('pay', { when: ({ sum }) => Number(sum) > 10 })], 'pay', { sum: 9 }, null],
  ['[N95] a function that throws matches', [deny('pay', { when: throws })], 'pay', {}, 'deny by deny pay when'],
  [
    '[N95] an async function matches',
    [deny('pay', { when: (async () => false) as never })],
    'pay',
    {},
    'deny by deny pay when',
  ],
  ['[N95] an async function that fails', [deny('pay', { when: fails as never })], 'pay', {}, 'deny by deny pay when'],
  ['[N96] a rule that was granted', [ask('read', { once: true }), allow('*')], 'read', {}, 'granted by ask read'],
  ['[N96] another rule that asks', [ask('read', { once: true }), ask('*')], 'read', {}, 'ask by ask *'],
  ['[N96] a grant is not above a denial', [ask('read', { once: true }), deny('*')], 'read', {}, 'deny by deny *'],
  ['[N96] a rule that asks each time', [ask('read')], 'read', {}, 'ask by ask read'],
])('%s', (_name, policy, tool, args, expected) => {
  const ruling = ruleOn(policy, tool, args, (name) => name === 'ask read')
  expect(ruling && `${ruling.outcome} by ${ruling.name}`).toBe(expected)
})

test('[N96] rules of the same fields have names of their own', () => {
  const when = () => true
  const policy = [ask('pay', { when }), ask('pay'), ask('pay', { when, reason: 'other' })]
  expect(ruleNames(policy)).toEqual(['ask pay when', 'ask pay', 'ask pay when #2'])
})

test('[N96] a function in a rule that asks once is part of its name: another function asks again', () => {
  const [small, large] = [() => true, () => Boolean(1)].map((when) => ask('pay', { when, once: true }))
  const names = [small, large].flatMap((rule) => ruleNames([rule as PolicyRule]))
  expect(names).toEqual([expect.stringMatching(/^ask pay when [0-9a-f]+$/), expect.not.stringContaining('#')])
  expect(names[0]).not.toBe(names[1])
  // The place in the list says nothing.
  expect(ruleNames([large, small] as PolicyRule[])[1]).toBe(names[0])
})

test('[N95] a function cannot change the arguments', () => {
  const args = { deep: { sum: 1 } }
  const when = ({ deep }: Readonly<Record<string, unknown>>) => Object.assign(deep as object, { sum: 2 }) !== null
  expect(ruleOn([ask('pay', { when })], 'pay', args, () => false)?.outcome).toBe('ask')
  expect(args).toEqual({ deep: { sum: 1 } })
})

test('[N94] ten thousand rules that all match are weighed by reading each of them once', () => {
  let reads = 0
  const counted = (): PolicyRule => ({
    get tool() {
      reads += 1
      return '*'
    },
    do: 'allow',
  })
  const policy = [...Array.from({ length: 10_000 }, counted), deny('pay')]
  for (const _call of [1, 2, 3]) expect(ruleOn(policy, 'pay', {}, () => false)?.name).toBe('deny pay')
  // Once for the names of all rules, and once for each call.
  expect(reads).toBe(4 * 10_000)
})

test.each<[command: string, isDenied: boolean, isAllowed: boolean]>([
  ['\n rm -rf . ', true, false],
  ['git log; rm -rf .', false, true],
  ['git log && rm -rf .', false, true],
  ['git $(rm -rf .)', false, true],
  ['git log\nrm -rf .', false, true],
  ['/bin/rm -rf .', false, false],
  ['RM -rf .', false, false],
  ['r""m -rf .', false, false],
  ['env rm -rf .', false, false],
  ['rm\t-rf .', false, false],
  ['git', false, false],
])('[N95] a glob knows nothing of shells: %j', (command, isDenied, isAllowed) => {
  const matches = (rule: PolicyRule) => ruleOn([rule], 'shell', { command }, () => false) !== null
  expect([matches(deny('shell', { command: 'rm *' })), matches(allow('shell', { command: 'git *' }))]).toEqual([
    isDenied,
    isAllowed,
  ])
})
