// A folder in which a tutorial is played as a reader plays it, with the checkout as the installed package.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@bridle/cli/cli.suite'
import { fromSource } from '../module-snapshot.ts'
import { missingLine, parseTutorial, type TutorialStep } from './page.ts'
import { ServedProgram } from './served-program.suite.ts'

const root = join(import.meta.dirname, '../..')
const COMMAND_MS = 90_000

export interface ProjectOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Addresses of a page that are others in a test, such as that of a model. */
  readonly replaced?: Readonly<Record<string, string>>
}

export class TutorialProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'bridle-tutorial-'))
  /** The server, and the page of a tutorial that has one. */
  readonly url: string
  readonly pageUrl: string
  readonly #env: NodeJS.ProcessEnv
  readonly #replaced: readonly (readonly [string, string])[]
  #server: ServedProgram | null = null
  #page: ServedProgram | null = null
  #printed = ''
  /** The approval that was printed last. */
  #approval: string | null = null

  private constructor(port: string, pagePort: string, { env = {}, replaced = {} }: ProjectOptions) {
    this.url = `http://127.0.0.1:${port}`
    this.pageUrl = `http://127.0.0.1:${pagePort}`
    // The ports of the pages; each project has others.
    this.#replaced = Object.entries({ ...replaced, 4317: port, 5173: pagePort })
    const programs = join(this.folder, '.programs')
    mkdirSync(programs)
    // `npx bridle` and `bridle`, without the second that npx takes.
    writeProgram(join(programs, 'bridle'), `exec node ${root}/packages/cli/src/main.ts "$@"`)
    writeProgram(join(programs, 'npx'), 'exec "$@"')
    writeProgram(join(programs, 'vite'), `exec ${root}/node_modules/.bin/vite --config .programs/vite.config.mjs "$@"`)
    writeFileSync(join(programs, 'vite.config.mjs'), VITE_CONFIG)
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'))
    // As `bridle init` writes it, for `npm test`.
    const manifest = { type: 'module', scripts: { test: 'node --test "tests/*.test.ts"' } }
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify(manifest))
    this.#env = {
      ...process.env,
      ...{ PORT: port, BRIDLE_URL: undefined, NO_COLOR: '1', NODE_OPTIONS: fromSource.join(' ') },
      BRIDLE_TEMPLATES: join(root, 'packages/bridle/templates'),
      ...{ INIT_CWD: undefined, CI: undefined, BRIDLE_LOG: undefined, NODE_ENV: undefined },
      PATH: `${programs}:${dirname(process.execPath)}:${process.env.PATH}`,
      ...env,
    }
  }

  static async create(options: ProjectOptions = {}): Promise<TutorialProject> {
    const [port, pagePort] = await Promise.all([freePort(), freePort()])
    return new TutorialProject(String(port), String(pagePort), options)
  }

  /** Plays a page of docs/tutorials. A step that fails names its line. */
  async play(page: string): Promise<void> {
    await this.playSteps(page, parseTutorial(readFileSync(join(root, 'docs/tutorials', page), 'utf8')))
  }

  /** Plays some steps of a page, or steps that a reader adds. */
  async playSteps(page: string, steps: readonly TutorialStep[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#step(step)
      } catch (cause) {
        throw new Error(`${page}:${step.line}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.#server?.stop(), this.#page?.stop()])
    this.#endSandboxes()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Sandboxes outlive a killed server. */
  #endSandboxes(): void {
    for (const record of globSync('.bridle/sandboxes/*/record.json', { cwd: this.folder }))
      try {
        const { pid } = JSON.parse(readFileSync(join(this.folder, record), 'utf8')) as { pid: number }
        process.kill(-pid, 'SIGKILL')
      } catch {
        // The sandbox has ended already.
      }
  }

  async #step(step: TutorialStep): Promise<void> {
    if (step.kind === 'file') return this.#write(step.path, this.#here(this.#withPort(step)))
    if (step.kind === 'output') return this.#expect(step.lines)
    if (step.kind === 'by-hand') return
    const commands = step.commands.map((command) => this.#here(command))
    if (step.kind === 'until') return this.#until(commands.join(' && '))
    this.#printed = ''
    if (step.kind === 'commands') {
      for (const command of commands) this.#printed += await this.#run(command)
      return
    }
    const options = { cwd: this.folder, env: this.#env }
    if (step.kind === 'page') this.#page = await ServedProgram.start(commands.join(' && '), this.pageUrl, options)
    else {
      await this.#server?.stop()
      this.#server = await ServedProgram.start(commands.join(' && '), `${this.url}/health`, options)
    }
  }

  /** A command of the page that finds no server asks the port of the settings file: the usual one may be in use by a server of the person who runs the tests. */
  #withPort({ path, content }: { readonly path: string; readonly content: string }): string {
    const { port } = new URL(this.url)
    return path === 'bridle.config.ts'
      ? content.replace('export default {', `export default { port: ${port},`)
      : content
  }

  #write(path: string, content: string): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  /** The text of a page with the addresses of this project. A reader sees another id of an approval, and writes that one. */
  #here(text: string): string {
    const here = this.#replaced.reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
    return this.#approval === null ? here : here.replaceAll(/\bapr-\d+/g, this.#approval)
  }

  async #until(command: string): Promise<void> {
    for (let tries = 0; tries < 150; tries++) {
      const isSo = await this.#run(command).then(
        () => true,
        () => false,
      )
      if (isSo) return
      await sleep(200)
    }
    throw new Error(`${command} does not succeed.`)
  }

  async #run(command: string): Promise<string> {
    const child = spawn('sh', ['-c', command], { cwd: this.folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS)
    const [code] = await once(child, 'close')
    clearTimeout(timer)
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${printed}`)
    this.#approval = /\bapr-\d+/.exec(printed)?.[0] ?? this.#approval
    return printed.endsWith('\n') ? printed : `${printed}\n`
  }

  /** A server may print a moment later. */
  async #expect(lines: readonly string[]): Promise<void> {
    const expected = lines.map((line) => this.#here(line))
    const printed = () => this.#printed + (this.#server?.printed ?? '')
    for (let tries = 0; tries < 100 && missingLine(expected, printed()) !== null; tries++) await sleep(100)
    const missing = missingLine(expected, printed())
    if (missing !== null) throw new Error(`"${missing}" is not in:\n${printed()}`)
  }
}

const writeProgram = (path: string, line: string): void => {
  writeFileSync(path, `#!/bin/sh\n${line}\n`)
  chmodSync(path, 0o755)
}

/** The reader's own configuration, with the package from source. */
const VITE_CONFIG = `
import { defaultClientConditions, mergeConfig } from 'vite'
import config from '../vite.config.ts'
export default mergeConfig(config, {
  resolve: { conditions: ['bridle-source', ...defaultClientConditions] },
  cacheDir: '.vite',
  server: { strictPort: true, fs: { strict: false } },
})
`
