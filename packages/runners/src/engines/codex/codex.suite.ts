// Shared by the tests of Codex: the folders and the provider of a session.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineOptions, EngineSession } from '../engine.ts'
import { engineEnv, startHere } from '../engines.suite.ts'
import { type CodexOptions, codexEngine } from './codex.ts'
import {
  type ResponsesStub,
  type ResponsesStubItem,
  type ResponsesStubStep,
  responsesStub,
} from './responses-stub.suite.ts'

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
