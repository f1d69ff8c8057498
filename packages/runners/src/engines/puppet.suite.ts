// An engine that does what its prompt says, a JSON array of steps; also what no engine should do.
import { present } from '@bridle/events/json'
import type { RunnerEvent } from '../protocol/protocol.ts'
import { claudeInfo } from './claude/description.ts'
import type {
  Engine,
  EngineApprovalRequest,
  EngineMcpServer,
  EngineOptions,
  EngineSession,
  TurnEnd,
  TurnReporter,
} from './engine.ts'

export type PuppetStep =
  | { readonly say: RunnerEvent }
  /** Text in this many pieces, as fast as there is room. */
  | { readonly flood: number; readonly size?: number }
  /** Announces a call, waits for its acknowledgement, and then acts. */
  | { readonly act: string }
  /** The same, and the call never ends. */
  | { readonly begin: string }
  | { readonly ask: EngineApprovalRequest; readonly effect?: 'pure' }
  | { readonly hang: 'politely' | 'deaf' }
  | { readonly sleepMs: number }
  /** Sends a message to one of its MCP servers. */
  | { readonly mcp: string; readonly message: object }
  | { readonly end: TurnEnd }
  | { readonly reject: string }

export interface PuppetEngine extends Engine {
  readonly acted: string[]
  readonly verdicts: unknown[]
  readonly steered: string[]
  readonly stoppedTasks: string[]
  /** `texts`: the instructions of the repository, where the engine was given any. */
  readonly opened: { readonly resume: string | null; readonly texts?: readonly string[] }[]
  /** The settings and instructions of each conversation, in the order of `opened`. */
  readonly openedWith: Pick<EngineOptions, 'settings' | 'instructions'>[]
  /** The MCP servers of each turn. */
  readonly mcpServers: (readonly EngineMcpServer[])[]
  /** The answers of MCP servers. */
  readonly mcpAnswers: { readonly status: number; readonly text: string }[]
  /** An engine that stays open learns the addresses of the next turn. */
  takesMcpServers: boolean
  /** Where the engine that was opened last finds its provider. */
  readonly baseUrl: () => Promise<string>
  closed: number
  closing: Promise<void>
  missing: string | null
  /** How many commands each turn leaves behind; null = some that cannot be ended. */
  leftovers: number | null
  /** How long opening takes. */
  openMs: number
}

export const puppetEngine = (name = 'puppet'): PuppetEngine => {
  let launch: EngineOptions['launcher'] = () => Promise.reject(new Error('No engine was opened.'))
  const engine: PuppetEngine = {
    name,
    provider: 'anthropic',
    info: { ...claudeInfo('1.0.0'), name },
    acted: [],
    verdicts: [],
    steered: [],
    stoppedTasks: [],
    opened: [],
    openedWith: [],
    mcpServers: [],
    mcpAnswers: [],
    takesMcpServers: false,
    baseUrl: async () => (await launch()).baseUrl,
    closed: 0,
    closing: Promise.resolve(),
    missing: null,
    leftovers: 0,
    openMs: 0,
    needs: async () => engine.missing,
    open: async ({ resume, launcher, settings, instructions, repository, mcp = [] }) => {
      launch = launcher
      const texts = repository?.instructions.map(({ text }) => text)
      engine.opened.push({ resume, ...(texts && texts.length > 0 && { texts }) })
      engine.openedWith.push({ settings, ...present({ instructions }) })
      engine.mcpServers.push(mcp)
      if (engine.openMs > 0) await new Promise((resolve) => setTimeout(resolve, engine.openMs))
      if (resume === 'broken') throw new Error('no such file')
      return new PuppetSession(engine, resume)
    },
  }
  return engine
}

/** The length of the text that `$LARGE` stands for. */
export const LARGE = 2_000_000

class PuppetSession implements EngineSession {
  readonly setMcpServers?: (servers: readonly EngineMcpServer[]) => void
  readonly #engine: PuppetEngine
  resume: string | null
  readonly sessionId = 'puppet-session'
  alive = true
  #turns = 0
  #interrupted = () => {}
  #turn: TurnReporter | null = null
  readonly #tasks = new Set<string>()

  constructor(engine: PuppetEngine, resume: string | null) {
    this.#engine = engine
    this.resume = resume
    if (engine.takesMcpServers) this.setMcpServers = (servers) => void engine.mcpServers.push(servers)
  }

  /** A continued turn starts after the step at which the turn stopped. */
  async play(prompt: string, turn: TurnReporter, continues = false): Promise<TurnEnd> {
    let isDeaf = false
    const interrupted = new Promise<'interrupted'>((resolve) => {
      this.#interrupted = () => {
        if (!isDeaf) resolve('interrupted')
      }
    })
    // A prompt has a limit, what an engine says has another.
    const large = (_name: string, value: unknown) => (value === '$LARGE' ? 'x'.repeat(LARGE) : value)
    const steps = (prompt.startsWith('[') ? JSON.parse(prompt, large) : [{ say: delta(prompt) }]) as PuppetStep[]
    this.#turns += 1
    this.#turn = turn
    this.resume = `${this.resume ?? 'start'}>${this.#turns}`
    const from = continues ? steps.findIndex((step) => 'hang' in step) + 1 : 0
    for (const step of steps.slice(from)) {
      isDeaf = 'hang' in step && step.hang === 'deaf'
      const end = await Promise.race([this.#step(step, turn), interrupted])
      if (end === 'interrupted') return { kind: 'interrupted' }
      if (end) return end
    }
    return { kind: 'completed', result: 'done' }
  }

  async #step(step: PuppetStep, turn: TurnReporter): Promise<TurnEnd | undefined> {
    if ('say' in step) {
      turn.report(step.say)
      if (step.say.type === 'subagent.started') this.#tasks.add(step.say.agentId)
    } else if ('flood' in step) {
      for (let index = 0; index < step.flood; index++) {
        turn.report(delta('x'.repeat(step.size ?? 100)))
        await turn.waitForRoom()
        if (index % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    } else if ('act' in step) {
      await turn.waitForAcknowledgement(
        turn.report({ type: 'tool.started', toolName: 'Act', toolUseId: step.act, input: {} }),
      )
      this.#engine.acted.push(step.act)
      turn.report({
        type: 'tool.completed',
        toolUseId: step.act,
        toolName: 'Act',
        outcome: { status: 'ok', result: step.act },
      })
    } else if ('begin' in step) {
      await turn.waitForAcknowledgement(
        turn.report({ type: 'tool.started', toolName: 'Act', toolUseId: step.begin, input: {} }),
      )
      this.#engine.acted.push(step.begin)
      await new Promise(() => {})
    } else if ('ask' in step) {
      const { toolUseId, toolName, input } = step.ask
      turn.report({ type: 'tool.started', toolName, toolUseId, input, ...(step.effect && { effect: step.effect }) })
      const verdict = await turn.requestApproval(step.ask)
      this.#engine.verdicts.push(verdict)
      const outcome =
        verdict.decision === 'approved'
          ? ({ status: 'ok', result: verdict.input } as const)
          : ({ status: 'denied', reason: verdict.reason } as const)
      turn.report({ type: 'tool.completed', toolUseId, toolName, outcome })
    } else if ('hang' in step) await new Promise(() => {})
    else if ('mcp' in step) await this.#askServer(step.mcp, step.message)
    else if ('sleepMs' in step) await new Promise((resolve) => setTimeout(resolve, step.sleepMs))
    else if ('reject' in step) throw new Error(step.reject)
    else return step.end
    return undefined
  }

  async #askServer(name: string, message: object): Promise<void> {
    const server = this.#engine.mcpServers.at(-1)?.find((each) => each.name === name)
    if (!server || !('url' in server)) throw new Error(`There is no MCP server "${name}".`)
    const response = await fetch(server.url, { method: 'POST', body: JSON.stringify(message) })
    this.#engine.mcpAnswers.push({ status: response.status, text: await response.text() })
  }

  async interrupt(): Promise<void> {
    this.#interrupted()
  }

  async steer(text: string): Promise<void> {
    this.#engine.steered.push(text)
  }

  async stopTask(taskId: string): Promise<boolean> {
    if (!this.#tasks.delete(taskId)) return false
    this.#engine.stoppedTasks.push(taskId)
    this.#turn?.report({ type: 'subagent.completed', agentId: taskId, status: 'stopped' })
    return true
  }

  async endLeftovers(): Promise<number | null> {
    return this.#engine.leftovers
  }

  async close(): Promise<void> {
    this.alive = false
    this.#engine.closed += 1
    await this.#engine.closing
  }
}

const delta = (text: string): RunnerEvent => ({ type: 'assistant.delta', text })
/** A prompt for the puppet. */
export const steps = (...given: PuppetStep[]): string => JSON.stringify(given)
export const text = (said: string): PuppetStep => ({ say: delta(said) })
