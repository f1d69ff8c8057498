import { expect, test } from 'vitest'
import { unknownAgent } from './unknown-agent.ts'

const agent = (name: string, available: boolean) => ({ name, available, description: '', triggers: { webhook: false } })

test.each([
  [[agent('scripted', true), agent('claude', false)], 'There is no agent scriptd; there is scripted.'],
  [[agent('scripted', true), agent('helper', true)], 'There is no agent scriptd; there are scripted, helper.'],
  [[agent('claude', false)], 'There is no agent scriptd.'],
  [[agent('scriptd', false)], undefined],
])('[C165] the agents that can run are named: %j', async (agents, message) => {
  const unknown = await unknownAgent({ ready: async () => ({ ready: true, agents }) }, 'scriptd')
  expect(unknown?.message).toBe(message)
})
