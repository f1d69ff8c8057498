// Shared by the tests of Codex: a turn that records its events, and the folders and the provider of a session.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunnerEvent, RunnerEventOf, RunnerEventType } from '../../protocol/protocol.ts'
import type {
  EngineApprovalDecision,
  EngineApprovalRequest,
  EngineOptions,
  EngineSession,
  TurnReporter,
} from '../engine.ts'
import { engineEnv, startHere } from '../engines.suite.ts'
import { type CodexOptions, codexEngine } from './codex.ts'
import {
  type ResponsesStub,
  type ResponsesStubItem,
  type ResponsesStubStep,
  responsesStub,
} from './responses-stub.suite.ts'

type ApprovalRule = (question: EngineApprovalRequest) => EngineApprovalDecision | Promise<EngineApprovalDecision>

export class RecordingTurn implements TurnReporter {
  readonly events: RunnerEvent[] = []
  readonly asked: EngineApprovalRequest[] = []
  readonly #rule: ApprovalRule
  readonly #watchers = new Set<() => void>()
  /** While it is false, nothing more is taken. */
  #open = Promise.withResolvers<void>()

  constructor(rule: ApprovalRule = ({ input }) => ({ decision: 'approved', input }), { full = false } = {}) {
    this.#rule = rule
    if (!full) this.#open.resolve()
  }

  report(event: RunnerEvent): number {
    this.events.push(event)
    for (const look of this.#watchers) look()
    return this.events.length
  }

  waitForRoom(): Promise<void> {
    return this.#open.promise
  }

  makeRoom(): void {
    this.#open.resolve()
  }

  async waitForAcknowledgement(): Promise<void> {}

  async requestApproval(question: EngineApprovalRequest): Promise<EngineApprovalDecision> {
    this.asked.push(question)
    for (const look of this.#watchers) look()
    return this.#rule(question)
  }

  of<T extends RunnerEventType>(type: T): RunnerEventOf<T>[] {
    return this.events.filter((event) => event.type === type) as RunnerEventOf<T>[]
  }

  get text(): string {
    return this.of('assistant.delta')
      .map(({ text }) => text)
      .join('')
  }

  /** Resolves as soon as it holds. */
  until(holds: (turn: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds(this)) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }
}

export const denyRule =
  (reason: string): ApprovalRule =>
  () => ({ decision: 'denied', reason })

/** The prompt that has the stub answer so. */
export const prompt = (...steps: ResponsesStubStep[]): string => `@stub ${JSON.stringify(steps)}`
export const says = (text: string): ResponsesStubStep => ({ items: [{ text }] })
export const calls = (call: string, args: object, id = 'call_1'): ResponsesStubStep => ({
  items: [{ call, args, id } as ResponsesStubItem],
})
export const runs = (cmd: string, id?: string): ResponsesStubStep => calls('exec_command', { cmd }, id)

export class CodexWorld {
  readonly stub: ResponsesStub
  readonly folder: string
  readonly #sessions: EngineSession[] = []

  static async make(): Promise<CodexWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'bridle-codex-'))
    const world = new CodexWorld(await responsesStub(), folder)
    for (const each of [world.work, world.state]) await mkdir(each)
    return world
  }

  private constructor(stub: ResponsesStub, folder: string) {
    this.stub = stub
    this.folder = folder
  }

  get work(): string {
    return join(this.folder, 'work')
  }

  get state(): string {
    return join(this.folder, 'state')
  }

  async open(
    { mode = 'bypassPermissions', ...options }: Partial<EngineOptions> & { mode?: string } = {},
    engine: CodexOptions = {},
  ): Promise<EngineSession> {
    const session = await codexEngine({ ...process.env, ...engineEnv() }, { retries: 1, ...engine }).open({
      workFolder: this.work,
      stateFolder: this.state,
      privateFolder: join(this.folder, 'private'),
      launcher: async () => ({ start: startHere, baseUrl: this.stub.url }),
      resume: null,
      settings: { model: 'gpt-5.1-codex', permission_mode: mode },
      ...options,
    })
    this.#sessions.push(session)
    return session
  }

  /** The prompts of the newest request, as the model got them. */
  lastPrompts(): string[] {
    const input = this.stub.requests.at(-1)?.body.input ?? []
    return input.flatMap(({ role, content = '' }) => {
      const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
      return role === 'user' && text.startsWith('@stub') ? [text] : []
    })
  }

  async end(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()))
    await this.stub.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}
