// An MCP server behind a server in a process of its own and an engine in bubblewrap: the credential stays outside, and kill -9 makes no call twice.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { prompt, says } from '@bridle/runners/engines/codex/codex.suite'
import { responsesStub } from '@bridle/runners/engines/codex/responses-stub.suite'
import { endSandboxes, engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { type DemandingServer, LOOK_PROGRAM, startDemandingServer } from '@bridle/runners/mcp/demanding-server.suite'
import { get, isIdle, post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace } from '../cli.suite.ts'

const CREDENTIAL = 'Bearer docs-canary-0003'
/** Everything that a command in the sandbox can read of its processes and files. */
const SPY =
  'cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n" > seen.txt; find / -xdev -type f -size -100k -newer /proc/1 2>/dev/null | head -2000 | xargs cat >> seen.txt 2>/dev/null; echo spied'

interface Step {
  readonly server?: string
  readonly tool?: string
  readonly command?: string
}
interface EngineUnderTest {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  readonly promptOf: (steps: readonly Step[]) => string
  readonly results: () => string
  readonly close: () => Promise<void>
}

const claude = async (): Promise<EngineUnderTest> => {
  const stub = await startAnthropicStub()
  const blockOf = ({ server, tool, command }: Step, index: number) =>
    command === undefined
      ? { tool_use: `mcp__${server}__${tool}`, id: `toolu_${index}`, input: {} }
      : { tool_use: 'Bash', id: `toolu_${index}`, input: { command, description: 'x' } }
  return {
    name: 'claude',
    env: { ANTHROPIC_API_KEY: 'sk-model', ANTHROPIC_BASE_URL: stub.url },
    promptOf: (steps) =>
      stubbed(...steps.map((step, index) => ({ blocks: [blockOf(step, index)] })), { blocks: [{ text: 'Done.' }] }),
    results: () => JSON.stringify(stub.requests.filter(({ isAux }) => !isAux).at(-1)?.body.messages),
    close: () => stub.close(),
  }
}

const codex = async (): Promise<EngineUnderTest> => {
  const stub = await responsesStub()
  const itemOf = ({ server, tool, command }: Step, index: number) =>
    command === undefined
      ? { call: tool ?? '', args: {}, id: `call_${index}`, namespace: `mcp__${server}` }
      : { call: 'exec_command', args: { cmd: command }, id: `call_${index}` }
  return {
    name: 'codex',
    env: { OPENAI_API_KEY: 'sk-model', OPENAI_BASE_URL: stub.url },
    promptOf: (steps) => prompt(...steps.map((step, index) => ({ items: [itemOf(step, index)] })), says('Done.')),
    results: () => JSON.stringify(stub.requests.filter(({ step }) => step !== null).at(-1)?.body.input),
    close: () => stub.close(),
  }
}

const engines = variants([['Claude Code', claude] as const], [['Codex', codex] as const])

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null).each(engines)(
  'MCP servers of the operator and %s in bubblewrap',
  (_name, start) => {
    let engine: EngineUnderTest
    let docs: DemandingServer
    let world: CliWorkspace
    beforeEach(async () => {
      engine = await start()
      docs = await startDemandingServer(CREDENTIAL)
      world = new CliWorkspace({ ...engineEnv(), ...engine.env, DOCS_TOKEN: CREDENTIAL })
      const program = JSON.stringify(LOOK_PROGRAM)
      writeFileSync(
        join(world.folder, 'bridle.config.mjs'),
        `const mcp = {
          docs: { url: ${JSON.stringify(docs.url)}, headers: { authorization: process.env.DOCS_TOKEN } },
          files: { command: ${JSON.stringify(process.execPath)}, args: ['--input-type=module', '-e', ${program}], env: { ROOT: '/srv' } },
        }
        export default { engines: { claude: { mcp }, codex: { mcp } } }`,
      )
      await world.boot()
    })
    afterEach(async () => {
      await world.kill()
      endSandboxes(join(world.folder, 'data'))
      await world.remove()
      await Promise.all([docs.close(), engine.close()])
    })
    const url = (id: string) => `${world.url}/agents/${engine.name}/${id}`
    const approveAll = async (isOver: () => boolean) => {
      while (!isOver()) {
        const { approvals = [] } = (await get(`${world.url}/approvals?status=pending`).catch(() => ({ body: {} })))
          .body as {
          approvals?: { id: string; sessionId: string }[]
        }
        for (const { id, sessionId } of approvals)
          await post(`${world.url}/sessions/${sessionId}/approvals/${id}/approve`, {})
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }

    test('[EN44] [EN42] [EN49] [R39] one gets the credential that the sandbox never has, one runs inside, and kill -9 makes no call twice', async () => {
      const steps = [{ server: 'docs', tool: 'search' }, { server: 'files', tool: 'look' }, { command: SPY }]
      let isOver = false
      const asked = post(url('one'), { prompt: engine.promptOf(steps) }).finally(() => (isOver = true))
      await approveAll(() => isOver)
      expect((await asked).body).toMatchObject({ result: 'Done.' })
      expect([docs.calls, docs.refused()]).toEqual([[{ name: 'search', input: {} }], 0])
      expect(engine.results()).toContain('search found')
      expect(engine.results()).toContain('spied')
      expect(engine.results()).toContain('\\"ROOT\\":\\"/srv\\"')
      const folders = join(world.folder, 'data', 'workspaces')
      const seen = readFileSync(join(folders, readdirSync(folders)[0] ?? '', 'work', 'seen.txt'), 'utf8')
      const log = JSON.stringify(await readFrames(`${url('one')}/stream`, isIdle))
      for (const text of [seen, log, engine.results()]) {
        expect(text).not.toContain('docs-canary')
        expect(text).not.toContain('bridle-mcp-')
      }
      expect(seen.length).toBeGreaterThan(100)

      // [EN49] kill -9 in the middle of a call: the call is made once, and the engine reads that the outcome is unknown.
      post(url('cut'), { prompt: engine.promptOf([{ server: 'docs', tool: 'pay' }]) }).catch(() => {})
      isOver = false
      const approving = approveAll(() => isOver)
      await expect.poll(() => docs.calls.length, { timeout: 30_000 }).toBe(2)
      isOver = true
      await approving
      await world.kill()
      docs.release()
      await world.boot()
      await readFrames(`${url('cut')}/stream`, isIdle)
      const { messages } = (await get(`${world.url}/sessions/cut`)).body as unknown as {
        messages: { content: string }[]
      }
      expect(messages.at(-1)?.content).toBe('Done.')
      expect(engine.results()).toContain('unknown whether it happened')
      expect(docs.calls).toHaveLength(2)
    })
  },
)
