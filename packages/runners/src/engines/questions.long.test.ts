// Questions of the real engines, and of a real MCP server in each of them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AnthropicStub, startAnthropicStub, stubbed } from './claude/anthropic-stub.suite.ts'
import { ClaudeProcess, type ClaudeSdk } from './claude/claude-process.ts'
import { CodexWorld, calls, prompt, says } from './codex/codex.suite.ts'
import type { EngineApprovalDecision, EngineApprovalRequest } from './engine.ts'
import { engines, noEngines, startHere } from './engines.suite.ts'
import { newProcessMark } from './process-mark.ts'
import { RecordingTurn } from './recording-turn.suite.ts'

const packages = 'folder' in engines ? join(engines.folder, 'node_modules') : ''

/** A server of the official SDK. Each of its tools asks in another way, and what it got is the result and in a file. */
const serverProgram = (heard: string) => {
  const sdk = (file: string) => pathToFileURL(join(packages, '@modelcontextprotocol/sdk/dist/esm', file)).href
  return `
import { appendFileSync } from 'node:fs'
import { Server } from '${sdk('server/index.js')}'
import { StdioServerTransport } from '${sdk('server/stdio.js')}'
import { CallToolRequestSchema, ListToolsRequestSchema } from '${sdk('types.js')}'
const property = (more) => ({ type: 'string', ...more })
const form = (properties, required = []) => ({ mode: 'form', message: 'Where to?', requestedSchema: { type: 'object', properties, required } })
const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => ['field' + index, property()]))
const asked = {
  ask: form({ city: property({ title: 'City' }), days: { type: 'integer', minimum: 1 }, sure: { type: 'boolean' }, size: property({ enum: ['S', 'M'] }) }, ['city']),
  link: { mode: 'url', message: 'Sign in.', url: 'https://example.com/login?a=1', elicitationId: 'e1' },
  many: form(many),
}
const inputSchema = { type: 'object', properties: {} }
const server = new Server({ name: 'maps', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: Object.keys(asked).map((name) => ({ name, description: name, inputSchema })) }))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const text = await server.elicitInput(asked[params.name]).then((result) => JSON.stringify(result), (error) => 'failed: ' + error.message)
  appendFileSync(${JSON.stringify(heard)}, text + '\\n')
  return { content: [{ type: 'text', text }] }
})
await server.connect(new StdioServerTransport())
`
}

let folder: string
let program: string
let heard: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-questions-'))
  program = join(folder, 'server.mjs')
  heard = join(folder, 'heard.txt')
  writeFileSync(program, serverProgram(heard))
  writeFileSync(heard, '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

/** The results that the server got, in their order. */
const heardByServer = () => readFileSync(heard, 'utf8').trim().split('\n')

type Answer = (request: EngineApprovalRequest) => EngineApprovalDecision | Promise<EngineApprovalDecision>
/** Calls are approved, and questions answered. */
const answering = (answer: Answer) =>
  new RecordingTurn((request) => (request.question ? answer(request) : { decision: 'approved', input: request.input }))
const given =
  (more: object): Answer =>
  ({ input }) => ({ decision: 'approved', input, given: more })
const declined: Answer = () => ({ decision: 'denied', reason: 'The user declined to answer.' })
const waiting: Answer = () => new Promise(() => {})
const questionsOf = ({ asked }: RecordingTurn) => asked.flatMap(({ question }) => (question ? [question] : []))

/** A turn in which the model calls one tool of the server. */
interface AskingEngine {
  play(tool: string, turn: RecordingTurn): Promise<unknown>
  interrupt(): Promise<void>
  end(): Promise<void>
}

const claude = async (): Promise<AskingEngine> => {
  const stub: AnthropicStub = await startAnthropicStub()
  const sdk = (await import(pathToFileURL(join(packages, '@anthropic-ai/claude-agent-sdk/sdk.mjs')).href)) as ClaudeSdk
  const mcpServers = { maps: { type: 'stdio', command: process.execPath, args: [program] } }
  const withServer: ClaudeSdk = {
    query: ({ prompt: prompts, options }) => sdk.query({ prompt: prompts, options: { ...options, mcpServers } }),
  }
  const mark = newProcessMark()
  const state = join(folder, 'claude')
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, CLAUDE_CONFIG_DIR: state, IS_SANDBOX: '1', ...mark.env },
    ...{ ANTHROPIC_BASE_URL: stub.url, ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  }
  const link = new ClaudeProcess(withServer, mark, startHere, {
    ...{ cwd: folder, env, settingSources: [], permissionMode: 'default' },
    systemPrompt: { type: 'preset', preset: 'claude_code' },
  })
  return {
    play: (tool, turn) => {
      const call = { tool_use: `mcp__maps__${tool}`, id: 'toolu_1', input: {} }
      return link.playTurn(stubbed({ blocks: [call] }, { blocks: [{ text: 'Done.' }] }), turn)
    },
    interrupt: () => link.interrupt(),
    end: async () => {
      await link.close()
      await stub.close()
    },
  }
}

const codex = async (): Promise<AskingEngine> => {
  const world = await CodexWorld.make()
  mkdirSync(join(world.state, 'codex'))
  const settings = { command: process.execPath, args: JSON.stringify([program]) }
  writeFileSync(
    join(world.state, 'codex', 'config.toml'),
    `[mcp_servers.maps]\ncommand = ${JSON.stringify(settings.command)}\nargs = ${settings.args}\n`,
  )
  const session = await world.open({ mode: 'default' })
  const call = (tool: string) => ({ items: [{ call: tool, args: {}, id: 'call_1', namespace: 'mcp__maps' }] })
  return {
    play: (tool, turn) => session.play(prompt(call(tool), says('Done.')), turn),
    interrupt: () => session.interrupt(),
    end: () => world.end(),
  }
}

describe.skipIf(noEngines !== null).each([
  ['Claude Code', claude],
  ['Codex', codex],
] as const)('[R32] an MCP server in %s', (_name, open) => {
  let engine: AskingEngine
  beforeEach(async () => {
    engine = await open()
  })
  afterEach(() => engine.end())

  test('gets the values of its form', async () => {
    const turn = answering(given({ values: { city: 'Rome', days: 2, sure: false, size: 'M' } }))
    expect(await engine.play('ask', turn)).toEqual({ kind: 'completed', result: 'Done.' })
    expect(questionsOf(turn)).toMatchObject([{ schema: { required: ['city'] } }])
    expect(turn.asked.at(-1)?.reason).toBe('The MCP server "maps" asks: Where to?')
    expect(heardByServer().map((line) => JSON.parse(line))).toEqual([
      { action: 'accept', content: { city: 'Rome', days: 2, sure: false, size: 'M' } },
    ])
    // The call is approved first, and then the server asks.
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['mcp__maps__ask', 'mcp.elicitation'])
    expect(turn.of('tool.completed')).toMatchObject([{ toolName: 'mcp__maps__ask', outcome: { status: 'ok' } }])
  })

  test('shows a link, and hears that the person went on', async () => {
    const turn = answering(given({ answers: { q1: 'Continue' } }))
    expect(await engine.play('link', turn)).toEqual({ kind: 'completed', result: 'Done.' })
    expect(questionsOf(turn)).toMatchObject([
      { questions: [{ header: 'maps', question: 'Sign in.\nhttps://example.com/login?a=1' }] },
    ])
    expect(JSON.parse(heardByServer()[0] ?? '')).toMatchObject({ action: 'accept' })
  })

  test.each(['ask', 'link'])('hears of a person who declines: %s', async (tool) => {
    const turn = answering(declined)
    expect(await engine.play(tool, turn)).toEqual({ kind: 'completed', result: 'Done.' })
    expect(heardByServer().map((line) => JSON.parse(line))).toEqual([{ action: 'decline' }])
  })

  test('hears cancel when the run is cancelled', async () => {
    const turn = answering(waiting)
    const end = engine.play('ask', turn)
    await turn.until((each) => questionsOf(each).length > 0)
    await engine.interrupt()
    expect(await end).toMatchObject({ kind: 'interrupted' })
    await vi.waitFor(() => expect(heardByServer()).toEqual(['{"action":"cancel"}']), 10_000)
  })

  test('[R30] hears cancel where the form is too long, the log has the reason, and the run goes on', async () => {
    const turn = answering(declined)
    expect(await engine.play('many', turn)).toEqual({ kind: 'completed', result: 'Done.' })
    expect(questionsOf(turn)).toEqual([])
    expect(turn.of('context.warning').filter(({ kind }) => kind === 'question_refused')).toMatchObject([
      { message: expect.stringContaining('The form has 500 fields; at most 100 are allowed.') },
    ])
    expect(heardByServer().map((line) => JSON.parse(line))).toEqual([{ action: 'cancel' }])
  })
})

describe.skipIf(noEngines !== null)('[R29] Codex', () => {
  let world: CodexWorld
  beforeEach(async () => {
    world = await CodexWorld.make()
  })
  afterEach(() => world.end())

  const option = (label: string) => ({ label, description: `About ${label}.` })
  const db = { id: 'db', header: 'Database', question: 'Which?', options: [option('SQLite'), option('PostgreSQL')] }
  const ask = async (answer: Answer, mode = 'default') => {
    const session = await world.open({ mode })
    const turn = answering(answer)
    const end = await session.play(prompt(calls('request_user_input', { questions: [db] }), says('Done.')), turn)
    expect(end).toEqual({ kind: 'completed', result: 'Done.' })
    const output = (world.stub.requests.at(-1)?.body.input ?? []) as { type?: string; output?: string }[]
    return { turn, output: JSON.parse(output.findLast(({ type }) => type === 'function_call_output')?.output ?? '') }
  }

  test.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])(
    'asks in %s mode, and its model reads the answer',
    async (mode) => {
      const { turn, output } = await ask(given({ answers: { db: 'SQLite' } }), mode)
      expect(output).toEqual({ answers: { db: { answers: ['SQLite'] } } })
      expect(turn.events.filter(({ type }) => type.startsWith('tool.')).map(({ type }) => type)).toEqual([
        'tool.started',
        'tool.completed',
      ])
      // The feature that makes it ask is unfinished, which is no news in each session.
      expect(
        turn
          .of('context.warning')
          .map(({ message }) => message)
          .join(),
      ).not.toContain('nder-development')
    },
  )

  test('reads a text of the person’s own as a note', async () => {
    const { output } = await ask(given({ answers: { db: 'Neither.' } }))
    expect(output).toEqual({ answers: { db: { answers: ['user_note: Neither.'] } } })
  })

  test('reads that the person declined', async () => {
    const { output } = await ask(declined)
    expect(output).toEqual({ answers: { db: { answers: ['The user declined to answer.'] } } })
  })

  test('is interrupted while it waits, and asks again in the next turn', async () => {
    const session = await world.open({ mode: 'default' })
    const turn = answering(waiting)
    const end = session.play(prompt(calls('request_user_input', { questions: [db] }), says('Never.')), turn)
    await turn.until((each) => questionsOf(each).length > 0)
    await session.interrupt()
    expect(await end).toEqual({ kind: 'interrupted' })
    expect(turn.of('tool.completed')).toMatchObject([{ toolUseId: 'call_1', outcome: { status: 'error' } }])
    const next = answering(given({ answers: { db: 'SQLite' } }))
    const again = calls('request_user_input', { questions: [db] }, 'call_2')
    expect(await session.play(prompt(again, says('Asked.')), next)).toEqual({ kind: 'completed', result: 'Asked.' })
    expect(questionsOf(next)).toHaveLength(1)
  })
})
