// The agents SDK in workerd, the runtime of Cloudflare Workers, by way of its local emulation.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownChildren } from './child.ts'
import { type BenchServer, microseconds, type ReplyPlan } from './fanout-reply.ts'
import { fetchedModules, requireFetched } from './fetched.ts'

const COMPATIBILITY_DATE = '2026-06-01'

export const agentsInWorkerd = async (folder: string): Promise<BenchServer> => {
  const { Miniflare } = requireFetched<{ Miniflare: MiniflareClass }>('miniflare')
  const miniflare = new Miniflare({
    modules: true,
    script: bundle(),
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: { Speaker: { className: 'Speaker', useSQLite: true } },
    durableObjectsPersist: join(folder, 'objects'),
    host: '127.0.0.1',
    port: 0,
  })
  const url = await miniflare.ready
  let rooms = 0
  return {
    others: ownChildren(),
    endpoint: () => ({ wire: 'ws', port: Number(url.port), path: `/agents/speaker/s${++rooms}` }),
    async stream(plan: ReplyPlan) {
      const request = { method: 'POST', body: JSON.stringify(plan) }
      const response = await fetch(new URL(`/agents/speaker/s${rooms}`, url), request)
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      const sentAt = (await response.json()) as number[]
      // The clock in the Worker is the time of day in milliseconds.
      const ahead = Date.now() * 1000 - microseconds()
      return sentAt.map((time) => time - ahead)
    },
  }
}

const bundle = (): string => {
  const { buildSync } = requireFetched<{ buildSync: BuildFunction }>('esbuild')
  const built = buildSync({
    entryPoints: [fileURLToPath(new URL('./rival-agents-worker.ts', import.meta.url))],
    nodePaths: [fetchedModules],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/')" },
    logLevel: 'silent',
  })
  return built.outputFiles[0]!.text
}

type MiniflareClass = new (options: object) => { readonly ready: Promise<URL> }
type BuildFunction = (options: object) => { readonly outputFiles: readonly { readonly text: string }[] }
