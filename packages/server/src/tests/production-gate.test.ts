import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exposureReport } from '@bridle/surfaces/http/access/exposure'
import { expect, test } from 'vitest'
import { startDevServer } from '../node/index.ts'
import { gateAgents, gateEnv, productionGateContract } from './production-gate.suite.ts'

productionGateContract(async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-gate-'))
  const options = { port: 0, data, agents: gateAgents, env: gateEnv, log: () => {}, tokenPaceMs: 0 }
  const server = await startDevServer(options)
  return {
    url: server.url,
    stop: async () => {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
})

test('[H16] the start of a server in production says which agents are open, and how to open the others', () => {
  const native = { engine: 'native', runnerKind: 'in_process' } as const
  const agents = new Map([
    ['hooked', { webhook: true, ...native }],
    ['shy', { webhook: false, ...native }],
    ['walker', { webhook: false, ...native }],
    ['claude', { webhook: false, engine: 'claude', runnerKind: 'bridge' as const }],
    ['assistant', { webhook: false, ...native, isDefault: true, needs: null }],
    // An agent that cannot run here: opening it would help nobody.
    ['voice', { webhook: false, ...native, isDefault: true, needs: 'Set a key.' }],
  ])
  const gate = {
    exposeAll: false,
    expose: ['walker', 'nobody', 'assistent', 'walker.guide'],
    socketAgent: 'claude',
    agents,
  }
  expect(exposureReport(gate)?.split('\n')).toEqual([
    'Production mode. Open agents: hooked, walker.',
    'Open on /ws alone, by BRIDLE_AGENT: claude.',
    'BRIDLE_EXPOSE names nobody, and there is no such agent.',
    'BRIDLE_EXPOSE names assistent, and there is no such agent. Did you mean assistant?',
    'Private: shy, claude, assistant. To open one, for example shy, declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=walker,walker.guide,shy).',
  ])
  // No file of the project has it.
  expect(
    exposureReport({ ...gate, expose: ['shy', 'walker', 'claude'] })
      ?.split('\n')
      .at(-1),
  ).toBe('Private: assistant. To open it, add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=shy,walker,claude,assistant).')
  expect(exposureReport({ ...gate, exposeAll: true })).toBeNull()
})
