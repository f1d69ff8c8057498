// The pinned engines for tests, without walls. Where they cannot be fetched, tests that need one are skipped by name, and say why.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '../../../../scripts/needs.ts'
import { fetchPinned } from '../../../../scripts/pinned-tools.ts'
import type { EngineStarter } from '../sandboxes/isolation/engine-start.ts'

/** The folder to give as BRIDLE_ENGINES, or why there is none. */
export const fetchEngines = () => fetchPinned('apps/sandbox', 'engines')

/** For `describe.skipIf`: fetched when the file is loaded. */
export const engines = fetchEngines()
export const noEngines = needs('engines')
export const engineEnv = (): NodeJS.ProcessEnv => ('folder' in engines ? { BRIDLE_ENGINES: engines.folder } : {})

/** As the user who runs the tests. */
export const startHere: EngineStarter = ({ file, args, cwd, env }) => spawn(file, args, { cwd, env, detached: true })

/** Ends the sandboxes of a data folder: they outlive a server that is killed. */
export const endSandboxes = (data: string): void => {
  const folder = join(data, 'sandboxes')
  for (const id of existsSync(folder) ? readdirSync(folder) : [])
    try {
      const { pid } = JSON.parse(readFileSync(join(folder, id, 'record.json'), 'utf8')) as { pid: number }
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
}
