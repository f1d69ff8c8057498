// A line that shows activity while nothing else is printed. The next output replaces it.
import { elapsedText } from '@bridle/words/index'
import { displayWidth } from './display-width.ts'
import { type CliOutput, truncateLine, withPrinting } from './output.ts'

/** People start to doubt after two seconds. */
const SILENCE_MS = 1_500

export interface WorkingOutput {
  readonly out: CliOutput
  /** Erases the line. False if it was not shown. */
  readonly stop: () => boolean
}

/** Only on a terminal. Hidden while `isWorking` is false or another line is open, such as streamed text or a question. */
export const withWorkingLine = (
  out: CliOutput,
  { words, isWorking = () => true }: { readonly words: () => string; readonly isWorking?: () => boolean },
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
    const text = truncateLine(`… ${words()}, ${elapsedText(now() - quietFrom)}`, out.width - 1)
    shown = displayWidth(text)
    // `^C` is printed at the cursor, so keep it within the line that gets erased.
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
  wait()
  return {
    out: withPrinting(out, (print, endsLine) => (text) => {
      clear()
      print(text)
      if (text !== '') isLineStart = endsLine || text.endsWith('\n')
      wait()
    }),
    stop: () => {
      isStopped = true
      clearInterval(timer)
      return clear()
    },
  }
}
