// A line that says that something is still at work, while nothing else is printed. The next output replaces it.
import { elapsedText } from '../../words/index.ts'
import { SILENCE_MS } from '../limits.ts'
import { displayWidth } from './display-width.ts'
import { type CliOutput, truncateLine } from './output.ts'

export interface WorkingOutput {
  /** The output, to be used in place of the given one. */
  readonly out: CliOutput
  /** Wipes the line; false = it was not shown. */
  readonly stop: () => boolean
}

export interface WorkingLineOptions {
  readonly words: string | (() => string)
  /** Nothing is shown while this is false; by default it is always true. */
  readonly isWorking?: () => boolean
}

/** Only on a terminal. In the middle of a line, such as streamed text or a question, nothing is shown. */
export const withWorkingLine = (
  out: CliOutput,
  { words, isWorking = () => true }: WorkingLineOptions,
  now: () => number = Date.now,
): WorkingOutput => {
  if (!out.canAsk) return { out, stop: () => false }
  let timer: NodeJS.Timeout | undefined
  let shown = 0
  let quietFrom = now()
  let isLineStart = true
  let isStopped = false

  const clear = (): boolean => {
    if (shown === 0) return false
    out.write(`\r${' '.repeat(shown)}\r`)
    shown = 0
    return true
  }
  const draw = () => {
    if (!isLineStart) return
    clear()
    if (!isWorking()) return
    const shownWords = typeof words === 'string' ? words : words()
    const text = truncateLine(`… ${shownWords}, ${elapsedText(now() - quietFrom)}`, out.width - 1)
    shown = displayWidth(text)
    // The terminal prints `^C` where the cursor stands: in the line, to be wiped with it.
    out.write(`${out.style('dim', text)}\r`)
  }
  const wait = () => {
    clearInterval(timer)
    if (isStopped) return
    quietFrom = now()
    timer = setTimeout(() => {
      draw()
      timer = setInterval(draw, 1_000).unref()
    }, SILENCE_MS).unref()
  }
  const replacing =
    (print: (text: string) => void, endsLine: boolean) =>
    (text: string): void => {
      clear()
      print(text)
      if (text !== '') isLineStart = endsLine || text.endsWith('\n')
      wait()
    }
  wait()
  return {
    out: {
      ...{ isJson: out.isJson, canAsk: out.canAsk, row: out.row, style: out.style },
      get width() {
        return out.width
      },
      write: replacing(out.write, false),
      line: replacing(out.line, true),
      note: replacing(out.note, true),
    },
    stop: () => {
      isStopped = true
      clearInterval(timer)
      return clear()
    },
  }
}
