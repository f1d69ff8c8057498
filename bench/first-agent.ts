// The first agent of one's own: from the package to its first answer, with the commands that a newcomer types, and nothing downloaded before.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The README promises a first agent within this time. */
const FIVE_MINUTES_MS = 300_000

const AGENT = `import { agent } from 'bridle'

export default agent({
  name: 'mine',
  run: async ({ input, session }) => {
    await session.text(\`You said: \${input.prompt}\`)
  },
})
`

export const firstAgent = async (): Promise<BenchFigure[]> => {
  // Outside of the checkout: npm takes a folder below it for a part of it.
  const folder = mkdtempSync(join(tmpdir(), 'bridle-first-agent-'))
  try {
    execFileSync('npm', ['run', '-s', 'pack', '--', folder], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
    const rounds = await interleave({
      'init to answer': walk(folder),
      '5 minutes': { run: async () => ({ value: FIVE_MINUTES_MS, verified: true }) },
    })
    return [
      figure(rounds, ['init to answer', '5 minutes'], {
        id: 'FA1',
        what: 'from bridle init to the first answer of an agent of one’s own, nothing in npm’s cache / 5 minutes (ms)',
        target: 1,
        better: 'lower',
      }),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The commands of the README, one after the other; typing and reading are not counted. */
const walk = (folder: string): BenchVariant => ({
  run: async () => {
    const place = mkdtempSync(join(folder, 'round-'))
    const env: NodeJS.ProcessEnv = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|NODE_)/i.test(name))),
      BRIDLE_LOG: 'warn',
      npm_config_cache: join(place, 'cache'),
    }
    const project = join(place, 'my-app')
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
    const at = Date.now()
    const npm = (cwd: string, ...[program = '', ...args]: string[]) =>
      execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
    npm(folder, 'npx', '--yes', `./${tarball}`, 'init', project, '--template', 'agent')
    npm(project, 'npm', 'install', '--no-fund', '--no-audit')
    writeFileSync(join(project, 'agents/mine.ts'), AGENT)
    const server = spawn(join(project, 'node_modules/.bin/bridle'), ['dev', '--port', '0'], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const result = await answer(await addressOf(server))
      return { value: Date.now() - at, verified: result === 'You said: Hello' }
    } finally {
      server.kill('SIGTERM')
      if (server.exitCode === null) await once(server, 'exit')
      rmSync(place, { recursive: true, force: true })
    }
  },
})

const addressOf = async ({ stdout }: ChildProcess): Promise<string> => {
  if (stdout)
    for await (const line of createInterface({ input: stdout })) {
      const url = /ready at (http:\S+)/.exec(line)?.[1]
      if (url !== undefined) return url
    }
  throw new Error('The server ended before it was ready.')
}

const answer = async (url: string): Promise<string | undefined> => {
  const response = await fetch(`${url}/agents/mine/first`, { method: 'POST', body: '{"prompt":"Hello"}' })
  return ((await response.json()) as { result?: string }).result
}
