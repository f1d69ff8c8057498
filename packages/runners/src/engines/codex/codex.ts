// Codex, through `codex app-server`: one process per open session, warm between turns.

import { findPackage } from '../../engine-table/engine-packages.ts'
import type { EngineCommand } from '../../sandboxes/isolation/engine-start.ts'
import type { Engine } from '../engine.ts'
import { AppServer } from './app-server.ts'
import { codexDescription } from './description.ts'
import { codexCommand, findCodex } from './launch.ts'
import { CodexSession } from './session.ts'
import { openThread } from './thread.ts'

/** A request about a thread or a turn reads files at most: a healthy process answers at once. */
const CONTROL_MS = 30_000

export interface CodexOptions {
  /** How often Codex repeats a failed request; absent = the default of Codex. */
  readonly retries?: number
  readonly controlMs?: number
  /** Another program that speaks the protocol of Codex. */
  readonly program?: Pick<EngineCommand, 'file' | 'args'>
}

/** Codex as an engine. `@openai/codex` is yours to install. */
export const codexEngine = (
  env: NodeJS.ProcessEnv = process.env,
  { retries, controlMs = CONTROL_MS, program }: CodexOptions = {},
): Engine => ({
  name: codexDescription.name,
  provider: codexDescription.provider,
  get info() {
    return codexDescription.info(findPackage(codexDescription.packageName, env)?.version ?? 'not installed')
  },
  needs: async () => {
    const found = findCodex(env)
    return 'missing' in found ? found.missing : null
  },
  open: async (options) => {
    const found = program ?? findCodex(env)
    if ('missing' in found) throw new Error(found.missing)
    const { start, baseUrl } = await options.launcher()
    const command = await codexCommand({ ...options, baseUrl, file: found.file, env, retries })
    const server = new AppServer({ ...command, ...program }, start)
    try {
      const clientInfo = { name: 'bridle', title: 'Bridle', version: '0' }
      const capabilities = { experimentalApi: true, requestAttestation: false }
      await server.request('initialize', { clientInfo, capabilities }, controlMs)
      server.notify('initialized')
      const place = await openThread(server, options, controlMs)
      return new CodexSession(server, place, controlMs)
    } catch (error) {
      const why = server.alive ? (error as Error).message : await server.exitReason
      await server.end()
      throw new Error(`Codex could not be opened: ${why}`, { cause: error })
    }
  },
})
