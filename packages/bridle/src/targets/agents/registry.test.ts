import { expect, test } from 'vitest'
import { defaultAgent } from './registry.ts'

test.each<[string, { BRIDLE_AGENT?: string }, string | null | undefined, string]>([
  ['the one that was set', { BRIDLE_AGENT: 'mine' }, null, 'mine'],
  ['claude, where nothing is missing for it', {}, null, 'claude'],
  ['the scripted one, where something is', {}, 'Set ANTHROPIC_API_KEY.', 'scripted'],
  ['the scripted one, where there is no other', { BRIDLE_AGENT: '' }, undefined, 'scripted'],
])('[T2] the default agent is %s', (_name, env, needs, expected) => {
  const agents = new Map(needs === undefined ? [] : [['claude', { needs }]])
  expect(defaultAgent(agents, env)).toBe(expected)
})
