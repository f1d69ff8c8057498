import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupDirectives } from './groups.ts'
import { say, stubShell, success } from './stub-engine.suite.ts'

const groups = (text: string) => groupDirectives([...text], (each) => each === 'p').map((group) => group.join(''))

test.each([
  ['', []],
  ['s', ['s']],
  ['p', ['p']],
  ['ss', ['s', 's']],
  ['pp', ['pp']],
  ['spps', ['s', 'pp', 's']],
  ['ppspp', ['pp', 's', 'pp']],
  ['psp', ['p', 's', 'p']],
])('[OHS20] the groups of %s', (text, expected) => {
  expect(groups(text)).toEqual(expected)
})

test('[OHS20] groups keep every directive in its place, and no two neighbouring groups could be one', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('s', 'p') }), (text) => {
      const all = groups(text)
      expect(all.join('')).toBe(text)
      expect(all.every((group) => /^(s|p+)$/.test(group))).toBe(true)
      expect(all.some((group, at) => group[0] === 'p' && all[at + 1]?.[0] === 'p')).toBe(false)
    }),
  )
})

const kinds = fc.constantFrom('sequential', 'parallel', 'absent', 'unknown', 'malformed', 'throws', 'parallel throws')
const priorities = fc.constantFrom('low', 'normal', 'high', 'critical')

test('[OHS20] [OHS21] whatever a response holds, a directive begins after all of earlier groups have ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(kinds, priorities, fc.nat(3)), { maxLength: 12 }),
      fc.boolean(),
      async (plan, parallel) => {
        const directives = plan.map(([kind, priority], index) => {
          const execution = kind.startsWith('parallel')
            ? { execution: 'parallel' }
            : kind === 'absent'
              ? {}
              : { execution: 'sequential' }
          const directive = say(String(index), { priority, ...execution })
          if (kind === 'unknown')
            return { ...directive, action_type: 'com.example.unknown', payload: { message: String(index) } }
          return kind === 'malformed' ? { ...directive, risk_tier: 'new' } : directive
        })
        const running = new Set<number>()
        const ended = new Set<number>()
        const isParallel = (index: number) => parallel && plan[index]![0].startsWith('parallel')
        const groupOf = groupDirectives([...directives.keys()], isParallel).flatMap((group, at) => group.map(() => at))
        const { shell } = stubShell([success(...directives)], {
          parallel,
          handlers: {
            render_message: async ({ text }) => {
              const index = Number(text)
              running.add(index)
              for (const other of running) expect(groupOf[other]).toBe(groupOf[index])
              for (let before = 0; before < index; before += 1)
                if (groupOf[before]! < groupOf[index]!) expect(ended.has(before)).toBe(true)
              for (let turns = plan[index]![2]; turns > 0; turns -= 1) await Promise.resolve()
              running.delete(index)
              ended.add(index)
              if (plan[index]![0].endsWith('throws')) throw new Error('no screen')
            },
          },
        })
        const { feedback } = await shell.send('Go')
        expect(feedback.map(({ index }) => index)).toEqual([...plan.keys()])
        expect(ended.size).toBe(plan.length)
        expect(feedback.map(({ outcome }) => outcome)).toEqual(
          plan.map(([kind]) =>
            /unknown|malformed/.test(kind) ? 'degraded' : kind.endsWith('throws') ? 'failed' : 'executed',
          ),
        )
      },
    ),
    { numRuns: 200 },
  )
})

test('[OHS20] the members of a group begin together', async () => {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const { shell } = stubShell(
    [success(say('a', { execution: 'parallel' }), say('b', { execution: 'parallel' }), say('c'))],
    {
      handlers: {
        render_message: async ({ text }) => {
          begun.push(text)
          // The first member ends only after the second one has begun: one after the other, this would never end.
          if (text === 'a') await gate.promise
          if (text === 'b') gate.resolve()
        },
      },
    },
  )
  await shell.send('Go')
  expect(begun).toEqual(['a', 'b', 'c'])
})
