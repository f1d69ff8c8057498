// Windows of a real terminal, of any width, with the command in them.
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { fromSource } from '../../../../scripts/module-snapshot.ts'
import type { CliWorkspace } from '../cli.suite.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface TmuxWindow {
  /** The lines on the screen and above it, without spaces at their ends. */
  readonly lines: () => string[]
  /** Presses keys by their names in tmux, such as `Enter` or `C-c`. */
  readonly press: (...keys: readonly string[]) => void
  readonly type: (text: string) => void
  /** Resolves with the lines when the screen shows the words. */
  readonly until: (words: string | RegExp) => Promise<string[]>
  /** The exit code of the command. */
  readonly ended: () => Promise<number>
}

export class Tmux {
  readonly #socket = `bridle-verbs-${process.pid}`
  readonly #work: CliWorkspace
  #count = 0

  constructor(work: CliWorkspace) {
    this.#work = work
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  }

  /** Opens a window of that many columns and runs the command in it. */
  open(columns: number, args: readonly string[], env: { readonly [name: string]: string } = {}): TmuxWindow {
    const name = `w${++this.#count}`
    const command = [process.execPath, ...fromSource, main, ...args].map((each) => `'${each}'`).join(' ')
    const variables = { BRIDLE_URL: this.#work.url, NO_COLOR: '1', EDITOR: '', VISUAL: '', ...env }
    const settings = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`])
    // The window stays open behind the command, so that its last words can be read.
    const line = `${command}; echo "exit code $?"; exec sleep 600`
    this.#tmux(
      'new-session',
      '-d',
      '-s',
      name,
      '-x',
      `${columns}`,
      '-y',
      '60',
      '-c',
      this.#work.folder,
      ...settings,
      line,
    )
    const lines = () => this.#tmux('capture-pane', '-p', '-S', '-', '-t', name).trimEnd().split('\n')
    const until = (words: string | RegExp) =>
      vi.waitFor(
        () => {
          const seen = lines()
          expect(seen.join('\n')).toMatch(words)
          return seen
        },
        { timeout: 40_000, interval: 50 },
      )
    return {
      lines,
      until,
      press: (...keys) => void this.#tmux('send-keys', '-t', name, ...keys),
      type: (text) => void this.#tmux('send-keys', '-t', name, '-l', text),
      ended: async () => Number(/exit code (\d+)/.exec((await until(/exit code \d+/)).join('\n'))?.[1]),
    }
  }

  close(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'])
  }
}
