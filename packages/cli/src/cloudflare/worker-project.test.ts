import { createWorkerAgents } from '@bridle/server/cloudflare/agents/worker-agents'
import type { HarnessEnv } from '@bridle/server/cloudflare/platform/options'
import { expect, test } from 'vitest'
import { workerEntry } from './worker-project.ts'

const problem = 'agents/greet.ts: Error: no key'

test('[C128] the module of the Worker has broken agents with their reasons, and no word of them where there are none', () => {
  expect(workerEntry('/data/worker', [], [{ name: 'greet', problem }])).toContain(
    `brokenAgents: [{"name":"greet","problem":"${problem}"}],`,
  )
  expect(workerEntry('/data/worker', [])).not.toContain('brokenAgents')
})

test('[C128] a broken agent is there, and says why it cannot run', async () => {
  const brokenAgents = [
    { name: 'greet', problem },
    { name: 'scripted', problem },
  ]
  const { agents } = createWorkerAgents({ brokenAgents }, {} as HarnessEnv, null)
  expect([agents.get('greet')?.needs, agents.get('scripted')?.needs]).toEqual([problem, null])
})
