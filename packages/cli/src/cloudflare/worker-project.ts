// The project's agents as a Worker. Uses the project's wrangler configuration if it has one; otherwise generates an entry
// and a configuration in the data folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentFileStates, fileStates } from '@bridle/server/agents/file-changes'
import { findAgents } from '@bridle/server/agents/folder'
import type { HarnessOptions } from '@bridle/server/cloudflare/platform/options'
import { builtCockpit } from '@bridle/server/node/http/app-files'
import type { ServerOptions } from '@bridle/server/node/index'
import { buildInCheckout } from '../cockpit/checkout-cockpit.ts'

/** The newest date that the tested wrangler supports. */
const COMPATIBILITY_DATE = '2026-10-01'
const COCKPIT = 'apps/cockpit/dist'
/** Entries that resolve to the building package, because another copy, or an unbuilt one, would fail. */
const OURS = ['bridle', 'bridle/client', 'bridle/cloudflare']
const OWN = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']

export interface WorkerProject {
  readonly config: string
  /** Null if the project's own configuration lists them. */
  readonly agents: readonly string[] | null
  readonly problems: readonly string[]
  /** Agent files. Empty if the project's own configuration lists them. */
  readonly files: AgentFileStates
  readonly hasCockpit: boolean
}

export type AgentsFolder = ServerOptions['agents']

/** Only in development does the Worker say why an agent cannot run: a deployed one must not reveal this machine. */
export const workerProject = async (
  data: string,
  agents: AgentsFolder,
  { isDev }: { readonly isDev: boolean },
): Promise<WorkerProject> => {
  const own = OWN.find((file) => existsSync(file))
  if (own) return { config: resolve(own), agents: null, problems: [], files: new Map(), hasCockpit: false }
  const folder = resolve(data, 'worker')
  const found = await findAgents('.', agents)
  const files = found.flatMap((each) => ('definition' in each ? [each.file] : []))
  const broken = found.filter((each) => 'problem' in each)
  const reasons = broken.map(({ name, file, problem }) => ({ name, problem: `${file}: ${problem}` }))
  mkdirSync(folder, { recursive: true })
  writeChanged(join(folder, 'index.ts'), workerEntry(folder, files, isDev ? reasons : []))
  const config = join(folder, 'wrangler.jsonc')
  const pages = await cockpit()
  writeChanged(config, `${JSON.stringify(settings(pages), null, 2)}\n`)
  const names = found.flatMap((each) => ('definition' in each ? [each.definition.name] : []))
  const problems = reasons.map(({ problem }) => problem)
  return { config, agents: names, problems, files: fileStates(found, broken), hasCockpit: pages !== null }
}

/** Avoids a write without a change, which would make wrangler rebuild. */
const writeChanged = (path: string, text: string): void => {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(path, text)
}

/** The Worker's module. `broken` lists the agents it refuses to run, with reasons. */
export const workerEntry = (
  folder: string,
  files: readonly string[],
  broken: HarnessOptions['brokenAgents'] = [],
): string => {
  const path = (file: string) => JSON.stringify(relative(folder, resolve(file)))
  const imports = files.map((file, index) => `import agent${index} from ${path(file)}`)
  return `// Written by bridle; changes are lost.
import { harness } from 'bridle/cloudflare'
${imports.join('\n')}

export const { HarnessGateway, HarnessSession, HarnessDirectory } = harness({
  agents: [${files.map((_, index) => `agent${index}`).join(', ')}],${
    broken.length === 0
      ? ''
      : `
  brokenAgents: ${JSON.stringify(broken)},`
  }
})
export default HarnessGateway
`
}

const cockpit = async (): Promise<string | null> => {
  const own = resolve(COCKPIT)
  return existsSync(own) ? own : builtCockpit() || buildInCheckout()
}

const settings = (files: string | null) => ({
  name: nameOf(basename(resolve('.'))),
  main: 'index.ts',
  alias: Object.fromEntries(OURS.map((name) => [name, fileURLToPath(import.meta.resolve(name))])),
  compatibility_date: COMPATIBILITY_DATE,
  send_metrics: false,
  durable_objects: {
    bindings: [
      { name: 'HARNESS_SESSION', class_name: 'HarnessSession' },
      { name: 'HARNESS_DIRECTORY', class_name: 'HarnessDirectory' },
    ],
  },
  // The Worker runs first, so that a file never hides a route.
  ...(files !== null && { assets: { directory: files, binding: 'ASSETS', run_worker_first: true } }),
  migrations: [{ tag: 'v1', new_sqlite_classes: ['HarnessSession', 'HarnessDirectory'] }],
})

const nameOf = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 54) || 'bridle'
