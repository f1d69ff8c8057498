// Three agents of a project on one engine: a server in a process of its own, the real Claude Code, a stub of the provider, and kill -9.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AnthropicStub,
  type AnthropicStubRequest,
  startAnthropicStub,
  stubbed,
} from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { endSandboxes, engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { get, post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { CliWorkspace } from '../cli.suite.ts'

const packageFolder = fileURLToPath(new URL('../../../bridle', import.meta.url))

const agents: readonly [name: string, more: string][] = [
  ['reviewer', `instructions: { file: './reviewer.md' }, model: 'claude-opus-5-5', effort: 'high'`],
  ['writer', `instructions: 'CANARY-writer', model: 'claude-sonnet-5-5', effort: 'low'`],
  ['tester', `instructions: 'CANARY-tester', model: 'claude-opus-5', effort: 'max', permissions: 'bypassPermissions'`],
]

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('[EN22] three agents on one engine', () => {
  let stub: AnthropicStub
  let world: CliWorkspace
  beforeAll(async () => {
    stub = await startAnthropicStub((request) =>
      request.body.model === 'claude-nope'
        ? { status: 404, errorType: 'not_found_error', message: 'model: claude-nope' }
        : undefined,
    )
    world = new CliWorkspace({
      ...engineEnv(),
      ...{ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: stub.url },
    })
    mkdirSync(join(world.folder, 'agents'))
    mkdirSync(join(world.folder, 'node_modules'))
    symlinkSync(packageFolder, join(world.folder, 'node_modules', 'bridle'))
    for (const [name, more] of agents)
      writeFileSync(
        join(world.folder, 'agents', `${name}.ts`),
        `import { agent } from 'bridle'\nexport default agent({ name: '${name}', engine: 'claude', ${more} })\n`,
      )
    writeFileSync(join(world.folder, 'reviewer.md'), 'CANARY-reviewer')
    writeFileSync(
      join(world.folder, 'bridle.config.mjs'),
      `export default { engines: { claude: { instructions: 'CANARY-house' } } }`,
    )
    await world.boot()
  })
  afterAll(async () => {
    await world?.kill()
    endSandboxes(join(world.folder, 'data'))
    await world.remove()
    await stub?.close()
  })

  const names = agents.map(([name]) => name)
  const ask = (name: string, answer: string, more: object = {}) =>
    post(`${world.url}/agents/${name}/s-${name}`, { prompt: stubbed({ blocks: [{ text: answer }] }), ...more })
  /** The model, effort and instructions of the newest request for this prompt. */
  const lastRequest = (answer: string) => {
    const request = stub.requests.findLast(
      ({ body, isAux }) => !isAux && JSON.stringify(body.messages).includes(answer),
    )
    return request && factsOf(request)
  }
  const factsOf = ({ body }: AnthropicStubRequest) => {
    const { model, system, output_config: output } = body as Record<string, unknown>
    const canaries = [...JSON.stringify(system).matchAll(/CANARY-\w+/g)].map(([word]) => word)
    return { model, canaries, effort: (output as { effort?: string } | undefined)?.effort }
  }
  const cardOf = async (name: string) => (await get(`${world.url}/sessions/s-${name}`)).body

  test('[EN20] [EN23] [EN31] interleaved: each request has its own instructions, model and effort, and none of another’s', async () => {
    const own = [
      { model: 'claude-opus-5-5', canaries: ['CANARY-house', 'CANARY-reviewer'], effort: 'high' },
      { model: 'claude-sonnet-5-5', canaries: ['CANARY-house', 'CANARY-writer'], effort: 'low' },
      { model: 'claude-opus-5', canaries: ['CANARY-house', 'CANARY-tester'], effort: 'max' },
    ]
    const changes = [{ model: 'claude-sonnet-5' }, {}, { effort: 'low' }]
    for (const turn of [0, 1, 2]) {
      const choice = (at: number) => (turn === 1 ? (changes[at] ?? {}) : {})
      const answers = names.map((name) => `${name} in turn ${turn}.`)
      const asked = await Promise.all(names.map((name, at) => ask(name, answers[at] as string, choice(at))))
      expect(asked.map(({ body }) => body.result)).toEqual(answers)
      expect(answers.map(lastRequest)).toEqual(own.map((facts, at) => ({ ...facts, ...choice(at) })))
    }
    // Each remembers its own turns, across the change of the model.
    for (const name of names) {
      const { body } =
        stub.requests.findLast(
          ({ body: each, isAux }) => !isAux && JSON.stringify(each.messages).includes(`${name} in turn 2`),
        ) ?? {}
      const said = JSON.stringify(body?.messages)
      expect([name, said.includes(`${name} in turn 0`), said.includes(`${name} in turn 1`)]).toEqual([name, true, true])
      for (const other of names)
        if (other !== name) expect([name, said.includes(`${other} in turn`)]).toEqual([name, false])
      expect(await cardOf(name)).toMatchObject({ agent: name, engine: 'claude' })
    }
  })

  test('[EN32] a model that the provider does not know fails its turn, and the next one works', async () => {
    const failed = await ask('writer', 'never', { model: 'claude-nope' })
    expect(failed.status).toBe(500)
    expect(JSON.stringify(failed.body)).toContain(
      'The provider does not know the model \\"claude-nope\\", or does not let this key use it. Choose another model.',
    )
    expect((await ask('writer', 'Back again.')).body).toMatchObject({ result: 'Back again.' })
    expect(await cardOf('writer')).toMatchObject({ model: 'claude-sonnet-5-5' })
  })

  test('[EN25] kill -9 while an approval is open: the agent is found by its name, with its instructions', async () => {
    const bash = { tool_use: 'Bash', id: 'toolu_1', input: { command: 'echo once >> out.txt', description: 'x' } }
    const prompt = stubbed({ blocks: [bash] }, { blocks: [{ text: 'After the kill.' }] })
    void post(`${world.url}/agents/reviewer/s-reviewer`, { prompt }).catch(() => {})
    const stream = `${world.url}/agents/reviewer/s-reviewer/stream?replay=none`
    await readFrames(stream, (frames) => frames.some(({ data }) => data.type === 'approval_requested'))
    await world.kill()
    await world.boot()
    const { approvals } = (await get(`${world.url}/approvals?status=pending`)).body as unknown as {
      approvals: { id: string }[]
    }
    const url = `${world.url}/sessions/s-reviewer/approvals/${approvals[0]?.id}/approve`
    expect((await post(url, {})).status).toBe(200)
    const lastMessage = async () => {
      const { messages } = (await cardOf('reviewer')) as { messages?: { content: string }[] }
      return messages?.at(-1)?.content
    }
    await expect.poll(lastMessage, { timeout: 30_000 }).toContain('After the kill.')
    expect(lastRequest('After the kill.')?.canaries).toEqual(['CANARY-house', 'CANARY-reviewer'])
  })

  test('[C433] [C430] [C432] the command lists them and asks one of them with another model', async () => {
    const { stdout } = await world.bridle(['agents', '--json'])
    const rows = stdout.split('\n').map((line) => JSON.parse(line) as { name: string; engine: string })
    expect(
      rows
        .filter(({ engine }) => engine === 'claude')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['claude', ...[...names].sort()])
    expect((await world.bridle(['agents'])).stdout).toContain('choice')
    const prompt = stubbed({ blocks: [{ text: 'By hand.' }] })
    const ran = await world.bridle(['run', 'writer', prompt, '--model', 'claude-haiku-5-5', '--effort', 'max'])
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('By hand.')])
    expect(lastRequest('By hand.')).toMatchObject({ model: 'claude-haiku-5-5' })
    const typed = stubbed({ blocks: [{ text: 'In a chat.' }] })
    const chat = await world.bridle(['chat', 'writer', '--id', 'by-chat', '--effort', 'high'], { input: `${typed}\n` })
    expect([chat.code, chat.stdout.trim()]).toEqual([0, 'In a chat.'])
    expect(lastRequest('In a chat.')).toMatchObject({ model: 'claude-sonnet-5-5', effort: 'high' })
    const card = (await get(`${world.url}/sessions/by-chat`)).body
    expect(card).toMatchObject({ agent: 'writer', workspace_source: world.folder })
    const refused = await world.bridle(['run', 'writer', 'x', '--effort', 'sharp'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('It has: low, medium, high, xhigh, max.')
  })
})
