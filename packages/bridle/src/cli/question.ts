// A yes-or-no question on the terminal, one at a time. It is withdrawn when the answer comes from elsewhere.
import { createInterface } from 'node:readline'
import type { Output } from './output.ts'

/** Null = no answer: the input ended, or the question was withdrawn. */
export const askYesNo = async (out: Output, question: string, signal: AbortSignal): Promise<boolean | null> => {
  // Not as a terminal: the line discipline does the editing, and Ctrl+C stays a signal to the process.
  const lines = createInterface({ input: process.stdin, terminal: false })
  const close = () => lines.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    out.write(question)
    if (signal.aborted) return null
    for await (const line of lines) {
      const answer = /^\s*(?:(y|yes)|(n|no))\s*$/i.exec(line)
      if (answer) return answer[1] !== undefined
      out.write(question)
    }
    return null
  } finally {
    signal.removeEventListener('abort', close)
    close()
    // An open standard input would keep the process.
    process.stdin.pause()
  }
}
