// A project of `bridle init`, with the checkout in the place of its installation.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { TemplateName } from '@bridle/cli/init/templates'
import { writeProject } from '@bridle/cli/init/write-project'
import { vi } from 'vitest'
import { fromSource } from '../module-snapshot.ts'

const root = join(import.meta.dirname, '../..')

export interface ProjectProgram {
  /** Everything that the program has printed so far, without colours. */
  readonly printed: () => string
  /** Resolves when the text is printed; fails with everything that is. */
  readonly until: (text: string | RegExp) => Promise<void>
  readonly ended: Promise<number | null>
  readonly stop: () => Promise<number | null>
}

export class TemplateProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'bridle-template-'))
  readonly #started: ChildProcess[] = []

  constructor(template: TemplateName) {
    writeProject({ folder: this.folder, template, source: { kind: 'registry', version: '0.1.0' } })
    // A folder of its own: Vite writes into it.
    const modules = join(this.folder, 'node_modules')
    mkdirSync(join(modules, '.bin'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    const bridle = join(modules, '.bin/bridle')
    writeFileSync(bridle, `#!/bin/sh\nexec node ${root}/packages/cli/src/main.ts "$@"\n`)
    chmodSync(bridle, 0o755)
  }

  edit(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }

  /** A file of the project, run with Node as its scripts do. */
  start(file: string, more: NodeJS.ProcessEnv = {}): ProjectProgram {
    const { PORT: _port, BRIDLE_DATA: _data, BRIDLE_URL: _url, ...inherited } = process.env
    const PATH = [join(this.folder, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(':')
    const env = { ...inherited, PATH, NODE_OPTIONS: fromSource.join(' '), ...more }
    // A group of its own, as the programs that a terminal starts.
    const child = spawn(process.execPath, [file], { cwd: this.folder, env, stdio: 'pipe', detached: true })
    this.#started.push(child)
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += stripVTControlCharacters(text)
      })
    const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
    const has = (text: string | RegExp) => (typeof text === 'string' ? printed.includes(text) : text.test(printed))
    const until = (text: string | RegExp) =>
      vi.waitFor(
        () => {
          if (!has(text)) throw new Error(`"${text}" is not in:\n${printed}`)
        },
        { timeout: 40_000, interval: 50 },
      )
    const stop = () => {
      child.kill('SIGINT')
      return ended
    }
    return { printed: () => printed, until, ended, stop }
  }

  /** Ends everything that was started. */
  end(): void {
    for (const { pid } of this.#started.splice(0))
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL')
      } catch {
        // The group has ended.
      }
  }

  remove(): void {
    this.end()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
