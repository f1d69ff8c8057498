// Shared by the tests of workspaces: a folder on disk, beside it a secret that no tool may reach, and the tools as a model calls them.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tool, ToolCallContext } from '@bridle/agents/tools/tool'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { expect } from 'vitest'
import { WorkspaceError } from './files/workspace-error.ts'
import { type WorkspaceSettings, workspace } from './workspace.ts'

export class TestWorkspace {
  readonly #temporary = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-workspace-')))
  readonly root = join(this.#temporary, 'work')
  readonly outside = join(this.#temporary, 'outside')
  readonly secret = join(this.outside, 'secret.txt')

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const folder of [this.root, this.outside]) mkdirSync(folder)
    writeFileSync(this.secret, 'the secret\n')
    for (const [path, text] of Object.entries(files)) this.write(path, text)
    this.#give()
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  async tools(options: WorkspaceSettings = { shell: false }): Promise<ReadonlyMap<string, Tool>> {
    const source = workspace({ root: this.root, ...options })
    const { tools } = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
    return new Map(tools.map((each) => [each.name, each]))
  }

  /** The result of a call, or the code of its error. No message names a folder of the server. */
  async call(name: string, input: object, options?: WorkspaceSettings): Promise<unknown> {
    const tool = (await this.tools(options)).get(name)
    try {
      return await callTool(tool, input)
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      expect(error.message).not.toContain(this.#temporary)
      return error.code
    }
  }

  remove(): void {
    rmSync(this.#temporary, { recursive: true, force: true })
  }

  /** Under root, commands run as another user: the folder is made theirs, as servers do. */
  #give(): void {
    const user = sandboxUser()
    if (user) chownSync(this.root, user.uid, user.gid)
    for (const folder of [this.#temporary, this.root]) chmodSync(folder, 0o755)
  }
}

/** Calls a tool as the loop does: with checked arguments. */
export const callTool = async (
  tool: Tool | undefined,
  input: object,
  signal = new AbortController().signal,
): Promise<unknown> => {
  const checked = await tool?.input?.['~standard'].validate(input)
  if (!tool || !checked || checked.issues) throw new TypeError(`The arguments do not fit: ${JSON.stringify(checked)}`)
  return tool.run(checked.value, { signal, stepKey: 'key' } as ToolCallContext)
}
