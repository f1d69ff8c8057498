// A Durable Object and its watchers in the real runtime. Measures tokens to 50 sockets, beside Cloudflare's `agents` SDK with the
// same job (each token stored in the object's SQLite and sent to every socket), and how fast a hibernated session shows its state.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyOperations } from '@bridle/kernel/delta'
import { evict, startTestWorker } from '@bridle/server/cloudflare/tests/test-worker.suite'
import { startWorkerd, tools, type WorkerdProcess } from '@bridle/server/cloudflare/tests/workerd.suite'
import { WebSocket } from 'ws'
import { type BenchFigure, figure, interleave } from './figure.ts'

const SOCKETS = 50
const TOKENS = 2_000
const TOKEN = 'token '

export const cloudflare = async (): Promise<BenchFigure[]> => {
  if ('missing' in tools) {
    console.log(JSON.stringify({ skipped: 'cloudflare', why: tools.missing }))
    return []
  }
  const ours = await startTestWorker()
  const theirs = await rival()
  try {
    return [...(theirs ? [await tokens(ours, theirs)] : []), await waking(ours)]
  } finally {
    await ours.dispose()
    await theirs?.dispose()
  }
}

const tokens = async (ours: WorkerdProcess, theirs: WorkerdProcess): Promise<BenchFigure> => {
  let round = 0
  const rounds = await interleave({
    'bridle (tokens/s)': { run: () => oursOnce(ours, `round-${++round}`) },
    'agents SDK (tokens/s)': { run: () => theirsOnce(theirs, `round-${++round}`) },
  })
  return figure(rounds, ['bridle (tokens/s)', 'agents SDK (tokens/s)'], {
    id: 'CF-B1',
    what: `tokens through one object, each durable, to ${SOCKETS} sockets`,
    target: 1,
    better: 'higher',
  })
}

const oursOnce = async ({ url }: WorkerdProcess, id: string) => {
  // The clients of this package do the same.
  const address = `${url}/ws?sessionId=${id}&marks=1`
  const watchers = await Promise.all(Array.from({ length: SOCKETS }, () => SocketWatcher.open(address)))
  const prompt = `@script ${JSON.stringify([{ text: TOKEN.repeat(TOKENS), chunks: TOKENS }])}`
  const started = performance.now()
  watchers[0]?.say({ type: 'commands', commands: [{ type: 'submit', prompt }] })
  const isDone = (watcher: SocketWatcher) => watcher.state?.status === 'idle' && watcher.state.messages.length === 2
  await Promise.all(watchers.map((watcher) => watcher.until(() => isDone(watcher))))
  const seconds = (performance.now() - started) / 1_000
  const verified = watchers.every(({ state }) => state?.messages[1]?.content === TOKEN.repeat(TOKENS))
  for (const watcher of watchers) watcher.close()
  return { value: TOKENS / seconds, verified }
}

const theirsOnce = async ({ url }: WorkerdProcess, name: string) => {
  const watchers = await Promise.all(Array.from({ length: SOCKETS }, () => SocketWatcher.open(`${url}/${name}`)))
  const started = performance.now()
  watchers[0]?.say({ tokens: TOKENS, text: TOKEN })
  await Promise.all(watchers.map((watcher) => watcher.until(() => watcher.last?.type === 'done')))
  const seconds = (performance.now() - started) / 1_000
  const isWhole = (watcher: SocketWatcher) => watcher.tokens === TOKENS && watcher.last?.stored === TOKENS
  const verified = watchers.every(isWhole)
  for (const watcher of watchers) watcher.close()
  return { value: TOKENS / seconds, verified }
}

/** Time from the request to the whole state, for an object that was hibernated. */
const waking = async (world: WorkerdProcess): Promise<BenchFigure> => {
  const sizes = { short: 100, long: 10_000 }
  for (const [id, events] of Object.entries(sizes)) await fill(world, id, events)
  const once = async (id: string, least: number) => {
    await evict(world, id)
    const started = performance.now()
    const watcher = await SocketWatcher.open(`${world.url}/ws?sessionId=${id}`)
    await watcher.until(() => watcher.state !== null)
    const value = (performance.now() - started) * 1_000
    const verified = (watcher.last?.seq ?? 0) >= least
    watcher.close()
    return { value, verified }
  }
  const rounds = await interleave({
    'wake at 10,000 events (us)': { run: () => once('long', sizes.long) },
    'wake at 100 events (us)': { run: () => once('short', sizes.short) },
  })
  return figure(rounds, ['wake at 10,000 events (us)', 'wake at 100 events (us)'], {
    id: 'CF-B2',
    what: 'from a connection to the state, of a session that was asleep',
    target: 3,
    better: 'lower',
  })
}

const fill = async ({ url }: WorkerdProcess, id: string, events: number): Promise<void> => {
  const turn = Math.min(500, events)
  for (let made = 0; made < events; made += turn) {
    const prompt = `@script ${JSON.stringify([{ text: TOKEN.repeat(turn), chunks: turn }])}`
    const answer = await fetch(`${url}/agents/scripted/${id}`, { method: 'POST', body: JSON.stringify({ prompt }) })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

interface TranscriptState {
  readonly status: string
  readonly messages: readonly { readonly content: string }[]
}

class SocketWatcher {
  readonly #ws: WebSocket
  state: TranscriptState | null = null
  last: { readonly type: string; readonly seq?: number; readonly stored?: number } | null = null
  tokens = 0
  #look = () => {}

  private constructor(ws: WebSocket) {
    this.#ws = ws
    ws.on('message', (data) => {
      const message = JSON.parse(data.toString())
      this.last = message
      if (message.type === 'mark') return this.say({ type: 'seen', seq: message.seq })
      if (message.type === 'state') this.state = message.state
      if (message.type === 'delta') this.state = applyOperations(this.state as never, message.operations) as never
      if (message.type === 'token') this.tokens += 1
      this.#look()
    })
  }

  static open(url: string): Promise<SocketWatcher> {
    const ws = new WebSocket(url.replace('http', 'ws'))
    const watcher = new SocketWatcher(ws)
    return new Promise((resolve, reject) => {
      ws.once('open', () => resolve(watcher))
      ws.once('error', reject)
    })
  }

  say(message: object): void {
    this.#ws.send(JSON.stringify(message))
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (isSo()) resolve()
      }
      this.#look()
    })
  }

  close(): void {
    this.#ws.terminate()
  }
}

const PACKAGES = [
  ...['agents@0.32.0', 'ai@6', 'zod@4', '@modelcontextprotocol/sdk@1.32.2'],
  ...['@modelcontextprotocol/client@2.4.0', '@modelcontextprotocol/server@2.4.0'],
]

/** The SDK's Worker, built by wrangler, since it imports Node's modules. Null when the packages cannot be installed. */
const rival = async (): Promise<WorkerdProcess | null> => {
  const folder = fileURLToPath(new URL('../.bench/agents-sdk', import.meta.url))
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(folder, 'worker.js'), SOURCE)
    writeFileSync(join(folder, 'email.js'), 'export class EmailMessage {}')
    writeFileSync(join(folder, 'wrangler.json'), JSON.stringify(SETTINGS))
    const options = { cwd: folder, stdio: 'pipe', timeout: 180_000 } as const
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', ...PACKAGES]
    if (!existsSync(join(folder, 'node_modules/agents'))) execFileSync('npm', install, options)
    const wrangler = join((tools as { folder: string }).folder, 'node_modules/wrangler/bin/wrangler.js')
    execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], options)
    const code = readFileSync(join(folder, 'out/worker.js'), 'utf8')
    return await startWorkerd({ code, objects: { RIVAL: 'Rival' }, flags: ['nodejs_compat'] })
  } catch (error) {
    console.log(JSON.stringify({ skipped: 'agents SDK', why: (error as Error).message.split('\n')[0] }))
    return null
  }
}

const SETTINGS = {
  name: 'rival',
  main: 'worker.js',
  compatibility_date: '2026-10-01',
  compatibility_flags: ['nodejs_compat'],
  send_metrics: false,
  // Modules that the bare runtime lacks and this job does not need.
  alias: { 'cloudflare:email': './email.js' },
  durable_objects: { bindings: [{ name: 'RIVAL', class_name: 'Rival' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['Rival'] }],
}

const SOURCE = `import { Agent, getAgentByName } from 'agents'
export class Rival extends Agent {
  onStart() {
    this.sql\`CREATE TABLE IF NOT EXISTS tokens (n INTEGER PRIMARY KEY, text TEXT NOT NULL)\`
  }
  async onMessage(_connection, message) {
    const { tokens, text } = JSON.parse(message)
    for (let n = 0; n < tokens; n++) {
      this.sql\`INSERT INTO tokens (text) VALUES (\${text})\`
      this.broadcast(JSON.stringify({ type: 'token', n, text }))
      if (n % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 0))
    }
    const [{ stored }] = this.sql\`SELECT count(*) AS stored FROM tokens\`
    this.broadcast(JSON.stringify({ type: 'done', stored }))
  }
}
export default {
  fetch: async (request, env) => (await getAgentByName(env.RIVAL, new URL(request.url).pathname)).fetch(request),
}
`
