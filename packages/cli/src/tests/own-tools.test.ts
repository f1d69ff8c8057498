// Tools of the operator behind the real engines: called, approved, killed with -9 in the middle, and made once.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnthropicStub, startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { type ResponsesStub, responsesStub } from '@bridle/runners/engines/codex/responses-stub.suite'
import { engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { get, isIdle, post, readFrames, type SseFrame } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace } from '../cli.suite.ts'

const packages = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(packages, '../docs/engines.md'), 'utf8')
/** The example of the page, with a second tool that never ends in a process without the file `go`. */
const config = (/## Your own tools\n.*?```ts\n(.*?)```/s.exec(page)?.[1] ?? '')
  .replace('import { appendFileSync }', 'import { appendFileSync, existsSync }')
  .replace(
    'export default',
    `const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  run: ({ invoice }) => {
    appendFileSync('paid.txt', invoice + '\\n')
    return existsSync('go') ? { paid: invoice } : new Promise(() => {})
  },
})
export default`,
  )
  .replaceAll('[deploy]', '[deploy, pay]')

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('own tools of', () => {
  let anthropic: AnthropicStub
  let openai: ResponsesStub
  let world: CliWorkspace
  beforeAll(async () => {
    anthropic = await startAnthropicStub()
    openai = await responsesStub()
  })
  afterAll(async () => {
    await anthropic?.close()
    await openai?.close()
  })
  beforeEach(async () => {
    world = new CliWorkspace({
      ...engineEnv(),
      ...{ ANTHROPIC_API_KEY: 'sk-ant', ANTHROPIC_BASE_URL: anthropic.url },
      ...{ OPENAI_API_KEY: 'sk-oai', OPENAI_BASE_URL: openai.url },
    })
    mkdirSync(join(world.folder, 'node_modules'))
    symlinkSync(join(packages, 'bridle'), join(world.folder, 'node_modules', 'bridle'))
    symlinkSync(join(packages, '../node_modules/valibot'), join(world.folder, 'node_modules', 'valibot'))
    writeFileSync(join(world.folder, 'bridle.config.ts'), config)
    await world.boot()
  })
  afterEach(async () => {
    const folder = join(world.folder, 'data', 'sandboxes')
    for (const id of existsSync(folder) ? readdirSync(folder) : []) {
      const { pid } = JSON.parse(readFileSync(join(folder, id, 'record.json'), 'utf8')) as { pid: number }
      process.kill(-pid, 'SIGKILL')
    }
    await world.remove()
  })

  const script = (tool: string, args: object) => `text(await tools.mcp__bridle__${tool}(${JSON.stringify(args)}))`
  const engines = {
    claude: {
      /** The prompt that has the engine call a tool, and then say so. */
      prompt: (tool: string, input: object) =>
        stubbed(
          { blocks: [{ text: 'Now. ' }, { tool_use: `mcp__bridle__${tool}`, id: 'toolu_1', input }] },
          { blocks: [{ text: 'Done.' }] },
        ),
      requests: () => anthropic.requests.filter(({ isAux }) => !isAux).map(({ body }) => body as object),
    },
    codex: {
      prompt: (tool: string, args: object) =>
        `@stub ${JSON.stringify([
          // The default model of Codex calls tools from scripts.
          { items: [{ text: 'Now. ' }, { custom: 'exec', input: script(tool, args), id: 'call_1' }] },
          { items: [{ text: 'Done.' }] },
        ])}`,
      requests: () => openai.requests.flatMap(({ body, step }) => (step ? [body as object] : [])),
    },
  }
  type EngineName = keyof typeof engines

  const ask = (engine: EngineName, id: string, tool: string, input: object) =>
    void post(`${world.url}/agents/${engine}/${id}`, { prompt: engines[engine].prompt(tool, input) }).catch(() => {})
  const frames = (engine: EngineName, id: string, until: (all: readonly SseFrame[]) => boolean) =>
    readFrames(`${world.url}/agents/${engine}/${id}/stream`, until)
  const asked = (all: readonly SseFrame[]) => all.some(({ data }) => data.type === 'approval_requested')
  const approvals = async (id: string) =>
    (await get(`${world.url}/sessions/${id}`)).body.approvals as unknown as { id: string; kind: string }[]
  const answer = (id: string, approval: string, body: object = {}, how = 'approve') =>
    post(`${world.url}/sessions/${id}/approvals/${approval}/${how}`, body)
  const lines = (file: string) => {
    const path = join(world.folder, file)
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }
  const calls = (all: readonly SseFrame[]) =>
    all
      .filter(({ data }) => data.type === 'tool_start' || data.type === 'tool_end')
      .map(({ data }): [string, { readonly toolName?: string }] => [data.type, data.data])

  test.each(variants<EngineName>(['claude'], ['codex']))(
    '[EN56] [EN57] [EN58] [EN60] %s: a call is approved after kill -9, as edited, made once, and in the next request',
    async (engine) => {
      ask(engine, 'one', 'deploy', { version: '1' })
      await frames(engine, 'one', asked)
      expect(JSON.stringify(engines[engine].requests().at(-1))).toContain('Deploys a version of the service.')
      expect(lines('deployed.txt')).toEqual([])
      const [before] = await approvals('one')
      await world.kill()
      await world.boot()
      const [open] = await approvals('one')
      expect(open).toMatchObject({ id: before?.id, toolName: 'deploy', kind: 'tool' })
      expect((await answer('one', open?.id ?? '', { args: { version: 2 } })).status).toBe(400)
      expect((await answer('one', open?.id ?? '', { args: { version: '2' } })).status).toBe(200)
      const all = await frames(engine, 'one', isIdle)
      expect(lines('deployed.txt')).toEqual([expect.stringMatching(/^2 /)])
      expect(calls(all).filter(([, { toolName }]) => toolName !== 'exec')).toMatchObject([
        ['tool_start', { toolName: 'deploy' }],
        ['tool_end', { toolName: 'deploy', isError: false }],
      ])
      const last = JSON.stringify(engines[engine].requests().at(-1))
      expect(last).toContain('A person changed the arguments of this call')
      const told = all.filter(({ data }) => data.type !== 'prompt_start')
      // A script of Codex names the tool as Codex does.
      if (engine === 'claude') expect(JSON.stringify(told)).not.toContain('mcp__bridle')
    },
  )

  test.each(variants<EngineName>(['claude'], ['codex']))(
    '[EN62] %s: a call that was cut off by kill -9 after its effect is asked about, in three sessions',
    async (engine) => {
      const ids = ['yes', 'no', 'later']
      for (const id of ids) ask(engine, id, 'pay', { invoice: id })
      await expect.poll(() => lines('paid.txt').toSorted(), { timeout: 60_000 }).toEqual(ids.toSorted())
      await world.kill()
      writeFileSync(join(world.folder, 'go'), '')
      await world.boot()
      for (const id of ids)
        await expect
          .poll(() => approvals(id), { timeout: 30_000 })
          .toMatchObject([{ kind: 'unknown_outcome', toolName: 'pay' }])
      expect(lines('paid.txt')).toHaveLength(3)
      await answer('yes', (await approvals('yes'))[0]?.id ?? '')
      await answer('no', (await approvals('no'))[0]?.id ?? '', { reason: 'It was paid.' }, 'reject')
      const [yes, no] = await Promise.all(['yes', 'no'].map((id) => frames(engine, id, isIdle)))
      for (const all of [yes, no]) expect(JSON.stringify(all)).toContain('Done.')
      // Codex ends its script of calls after them.
      const lastEnd = (all: readonly SseFrame[] = []) =>
        calls(all).findLast(([type, { toolName }]) => type === 'tool_end' && toolName === 'pay')
      expect(lastEnd(yes)).toMatchObject(['tool_end', { isError: false }])
      expect(lastEnd(no)).toMatchObject(['tool_end', { isError: true }])
      expect(lines('paid.txt').toSorted()).toEqual(['later', 'no', 'yes', 'yes'])

      // The third goes through another process first.
      await world.kill()
      await world.boot()
      await answer('later', (await approvals('later'))[0]?.id ?? '')
      await frames(engine, 'later', isIdle)
      expect(lines('paid.txt').filter((line) => line === 'later')).toHaveLength(2)
    },
  )
})
