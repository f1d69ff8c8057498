// The project's agents as a Worker. A project with a wrangler.jsonc of its own is left as it is; for any other the few lines
// are written anew each time, beside its data.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findAgents } from '../../targets/agents/folder.ts'

/** The newest that the tested wrangler knows. */
const COMPATIBILITY_DATE = '2026-10-01'
const COCKPIT = 'apps/cockpit/dist'
/** What a Worker imports of ours is what builds it: another copy, or one that was never built, would not do. */
const OURS = ['bridle', 'bridle/client', 'bridle/cloudflare']
const OWN = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']

export interface WorkerProject {
  /** The file to give wrangler. */
  readonly config: string
  /** Null = those of a configuration that is the project's own. */
  readonly agents: readonly string[] | null
  /** A line for each agent that cannot be served. */
  readonly problems: readonly string[]
}

export const workerProject = async (data: string): Promise<WorkerProject> => {
  const own = OWN.find((file) => existsSync(file))
  if (own) return { config: resolve(own), agents: null, problems: [] }
  const folder = resolve(data, 'worker')
  const found = await findAgents('.')
  const files = found.flatMap((each) => ('definition' in each ? [each.file] : []))
  const problems = found.flatMap((each) => ('problem' in each ? [`${each.file}: ${each.problem}`] : []))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.ts'), entry(folder, files))
  const config = join(folder, 'wrangler.jsonc')
  writeFileSync(config, `${JSON.stringify(settings(cockpit()), null, 2)}\n`)
  return { config, agents: found.flatMap((each) => ('definition' in each ? [each.definition.name] : [])), problems }
}

const entry = (folder: string, files: readonly string[]): string => {
  const path = (file: string) => JSON.stringify(relative(folder, resolve(file)))
  const imports = files.map((file, index) => `import agent${index} from ${path(file)}`)
  return `// Written by bridle; changes are lost.
import { harness } from 'bridle/cloudflare'
${imports.join('\n')}

export const { HarnessGateway, HarnessSession, HarnessDirectory } = harness({
  agents: [${files.map((_, index) => `agent${index}`).join(', ')}],
})
export default HarnessGateway
`
}

/** The web app, where it was built: the project's own, else the one beside this package. */
const cockpit = (): string | undefined =>
  [resolve(COCKPIT), fileURLToPath(new URL(`../../../../../${COCKPIT}`, import.meta.url))].find((folder) =>
    existsSync(folder),
  )

const settings = (files: string | undefined) => ({
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
  // The Worker is asked first: a file never stands in for a route.
  ...(files && { assets: { directory: files, binding: 'ASSETS', run_worker_first: true } }),
  migrations: [{ tag: 'v1', new_sqlite_classes: ['HarnessSession', 'HarnessDirectory'] }],
})

/** What a Worker may be called. */
const nameOf = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 54) || 'bridle'
