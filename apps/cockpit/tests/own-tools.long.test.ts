// A tool of the operator, called by the real Claude Code and approved on its card.
import { type AnthropicStub, startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { tool } from 'bridle'
import { fabricClient } from 'bridle/client'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { needs } from '../../../scripts/needs.ts'
import { describeCockpit } from './browser.suite.ts'

const deployed: string[] = []
const deploy = tool({
  name: 'deploy',
  description: 'Deploys a version.',
  input: z.object({ version: z.string() }),
  approve: { reason: 'It reaches everybody.' },
  run: ({ version }) => {
    deployed.push(version)
    return { deployed: version }
  },
})

const canRun = noEngines === null && needs('bubblewrap') === null
const stub: AnthropicStub | null = canRun ? await startAnthropicStub() : null
afterAll(() => stub?.close())

const env = { ...process.env, ...engineEnv(), ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: stub?.url ?? '' }

if (canRun)
  describeCockpit(
    'a tool of the operator behind an engine',
    (world) => {
      test('[C437] its card has its name, its reason and its arguments, and the call is made once it is approved', async () => {
        const call = { tool_use: 'mcp__bridle__deploy', id: 'toolu_1', input: { version: '1.2.3' } }
        const prompt = stubbed({ blocks: [call] }, { blocks: [{ text: 'It is out.' }] })
        await fabricClient({ url: world.url }).invoke('claude', 'own', { prompt }, { async: true })
        const page = await world.open('/s/own')
        const card = page.getByRole('article', { name: 'Approval needed: deploy' })
        await card.waitFor({ timeout: 60_000 })
        expect(await card.innerText()).toContain('It reaches everybody.')
        expect(await card.innerText()).toContain('1.2.3')
        expect(await card.innerText()).not.toContain('mcp__bridle')
        expect(deployed).toEqual([])
        await card.getByRole('button', { name: 'Approve', exact: true }).click()
        await page.getByText('It is out.').waitFor({ timeout: 60_000 })
        expect(deployed).toEqual(['1.2.3'])
      })
    },
    { env, engines: { claude: { tools: [deploy] } } },
  )
