// The chat window on a real terminal: draws the live rows, prints above them, and feeds keys to the input line.
import { stripVTControlCharacters } from 'node:util'
import { COLUMNS_MIN } from '../../command/limits.ts'
import { displayWidth } from '../../terminal/display-width.ts'
import { editorRows, searchPrompt } from '../input/editor-rows.ts'
import type { TerminalKey } from '../input/keys.ts'
import { type EditorEvent, editorWith, emptyEditor, type LineEditor, pressKey } from '../input/line-editor.ts'
import type { PromptHistory } from '../input/prompt-history.ts'
import { PASTE_OFF, type TerminalInput, terminalInput } from '../input/terminal-input.ts'
import type { LinePrinter } from '../thread/line-printer.ts'
import { catchOutput } from './foreign-output.ts'
import { afterResize, drawScreen, eraseLive, type LiveRows, noRows } from './screen.ts'

/** Redraw interval while streaming, faster than people read. */
const DRAW_MS = 30

export interface WindowView {
  /** Rows above the input line. Shows the last ones if they do not fit. */
  readonly rows: readonly string[]
  readonly prompt: { readonly text: string; readonly columns: number }
}

export interface ChatWindowOptions {
  readonly printer: LinePrinter
  readonly history: PromptHistory
  /** Called before each redraw. May print. */
  readonly view: (columns: number) => WindowView
  readonly onEvent: (event: EditorEvent) => void
  /** Returns false to drop a key that came too early. */
  readonly acceptsKey: (key: TerminalKey) => boolean
  readonly onForeignOutput: (text: string) => void
  readonly onEnd: () => void
}

export class ChatWindow {
  readonly #options: ChatWindowOptions
  readonly #input: TerminalInput
  #editor: LineEditor = emptyEditor
  #live: LiveRows = noRows
  #timer: NodeJS.Timeout | undefined
  #isActive = false
  #write: (text: string) => void = () => {}
  #release = () => {}

  constructor(options: ChatWindowOptions) {
    this.#options = options
    this.#input = terminalInput((key) => this.#press(key), options.onEnd)
  }

  get text(): string {
    return this.#editor.text
  }

  setText(text: string): void {
    this.#editor = editorWith(text)
    this.redraw()
  }

  start(): void {
    this.#isActive = true
    this.#input.start()
    const { write, release } = catchOutput((text) => this.#options.onForeignOutput(text))
    this.#write = write
    this.#release = release
    process.once('exit', this.#restore)
    process.stdout.on('resize', this.#resize)
    this.#draw()
  }

  feed(keys: string): void {
    this.#input.feed(keys)
  }

  stop(): void {
    if (!this.#isActive) return
    this.#draw()
    this.#isActive = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#write(eraseLive(this.#live))
    this.#live = noRows
    process.stdout.off('resize', this.#resize)
    process.off('exit', this.#restore)
    this.#release()
    this.#input.stop()
  }

  /** Coalesces changes into one redraw. */
  redraw(): void {
    this.#timer ??= setTimeout(() => this.#draw(), DRAW_MS)
  }

  clear(): void {
    this.#write('\u001b[H\u001b[2J')
    this.#live = noRows
    this.#draw()
  }

  /** Leaves the last column free, because some terminals wrap when it is used. */
  get columns(): number {
    return Math.max((process.stdout.columns || 80) - 1, COLUMNS_MIN)
  }

  #draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#isActive) return
    const { columns } = this
    const { rows, prompt } = this.#options.view(columns)
    const printed = this.#options.printer.take()
    const { search } = this.#editor
    const shown = search ? searchPrompt(search.query) : prompt
    const input = editorRows(this.#editor, shown.text, shown.columns, columns)
    const room = Math.max((process.stdout.rows || 24) - input.rows.length - 1, 0)
    const above = room === 0 ? [] : rows.slice(-room)
    const live = {
      rows: [...above, ...input.rows],
      cursor: { row: above.length + input.cursor.row, column: input.cursor.column },
    }
    const output = drawScreen(this.#live, printed, live)
    this.#live = live
    if (output !== '') this.#write(output)
  }

  #press(key: TerminalKey): void {
    if (!this.#options.acceptsKey(key)) return
    const { editor, event } = pressKey(this.#editor, key, this.#options.history.entries)
    this.#editor = editor
    if (event) this.#options.onEvent(event)
    this.redraw()
  }

  /** Restores the terminal if the process exits without `stop`, so that the reason for the exit stays visible. */
  readonly #restore = (): void => {
    this.#release()
    process.stdout.write(`${eraseLive(this.#live)}${PASTE_OFF}\u001b[?7h\u001b[?25h`)
  }

  readonly #resize = (): void => {
    const moved = afterResize(this.#live, process.stdout.columns || 80, (row) =>
      displayWidth(stripVTControlCharacters(row)),
    )
    this.#write(eraseLive(moved))
    this.#live = noRows
    this.#draw()
  }
}
