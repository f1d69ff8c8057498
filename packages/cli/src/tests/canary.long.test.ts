// A real engine in a real sandbox looks for the server's secrets with everything that a shell has: its environment, the process
// table, each file that it can read. The server runs in a separate process, as an operator starts it.

import { type AnthropicStub, startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { engineEnv } from '@bridle/runners/engines/engines.suite'
import { canariesOf, filesIn, findCanaries } from '@bridle/server/tests/canaries.suite'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { CliWorkspace } from '../cli.suite.ts'

const secrets = canariesOf('anthropic-key', 'openai-key', 'server-secret', 'admin-token')
const tenants = ['ada', 'bo', 'cy'] as const
/** The script assembles the word inside the sandbox, so that the search does not find itself. */
const look = `P=can; P="$P"ary-; {
  env; set
  cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'
  ps auxe 2>/dev/null
  timeout 30 grep -Erasho "$P[a-z-]*-[0-9a-f]{32}" "$HOME" /tmp /etc /run /dev/shm .. 2>/dev/null
} | grep -Eao "$P[a-z-]*-[0-9a-f]{32}" | sort -u | tee found.txt; echo "looked: $(wc -l < found.txt)"`

const headersOf = (tenant: string) => ({
  authorization: `Bearer ${secrets['admin-token']}`,
  'x-fabric-tenant': tenant,
})

describe.skipIf(needs('engines') ?? needs('bubblewrap'))('Claude Code, looking for secrets', () => {
  let stub: AnthropicStub
  let world: CliWorkspace
  beforeAll(async () => {
    stub = await startAnthropicStub()
    world = new CliWorkspace({
      ...engineEnv(),
      ANTHROPIC_API_KEY: secrets['anthropic-key'],
      ANTHROPIC_BASE_URL: stub.url,
      OPENAI_API_KEY: secrets['openai-key'],
      BRIDLE_SECRET: secrets['server-secret'],
      FABRIC_HARNESS_API_TOKEN: secrets['admin-token'],
      BRIDLE_SANDBOX: 'bubblewrap',
      BRIDLE_LOG: 'debug',
    })
    await world.boot()
  })
  /** A sandbox outlives its server, and goes with its session. */
  const forget = async (): Promise<void> => {
    for (const tenant of tenants)
      await fetch(`${world.url}/agents/claude/look`, { method: 'DELETE', headers: headersOf(tenant) })
  }
  afterAll(async () => {
    await forget().catch(() => {})
    await world?.remove()
    await stub?.close()
  })

  test('[O14] finds none, in three tenants at once, and leaves none behind', async () => {
    const answers: Record<string, string> = {}
    await Promise.all(
      tenants.map(async (tenant) => {
        const headers = headersOf(tenant)
        const prompt = stubbed(
          { blocks: [{ tool_use: 'Bash', id: `toolu_${tenant}`, input: { command: look, description: 'x' } }] },
          { blocks: [{ text: 'Looked.' }] },
        )
        const asked = post(`${world.url}/agents/claude/look`, { prompt }, headers)
        for (let isOver = false; !isOver; ) {
          const { body } = await get(`${world.url}/sessions/look`, headers)
          const [open] = (body.approvals ?? []) as { id: string }[]
          if (open) await post(`${world.url}/sessions/look/approvals/${open.id}/approve`, {}, headers)
          isOver = await Promise.race([asked.then(() => true), new Promise<false>((go) => setTimeout(go, 100, false))])
        }
        expect((await asked).body).toMatchObject({ result: 'Looked.' })
        const timeline = await get(`${world.url}/agents/claude/look`, headers)
        answers[tenant] = JSON.stringify(timeline.body)
        expect(answers[tenant]).toContain('looked: 0')
      }),
    )
    expect(stub.requests.length).toBeGreaterThan(3)
    expect(stub.requests.every(({ headers }) => headers['x-api-key'] === secrets['anthropic-key'])).toBe(true)
    expect(findCanaries(secrets, answers)).toEqual([])
    expect(findCanaries(secrets, filesIn(world.folder))).toEqual([])
    await forget()
    world.server?.process.kill('SIGTERM')
    const { stdout = '', stderr = '' } = (await world.server?.ended) ?? {}
    expect(stderr.length).toBeGreaterThan(1_000)
    expect(findCanaries(secrets, { stdout, stderr, ...filesIn(world.folder) })).toEqual([])
  })
})
